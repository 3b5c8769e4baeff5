import type { MessageView } from "@/api/types";

/** Builds a message for tests. */
export function message(seq: number, rest: Partial<MessageView> = {}): MessageView {
  return {
    attempt: 1,
    seq,
    step: 1,
    role: "tool",
    kind: "output",
    is_test: false,
    edit: null,
    text: `text ${seq}`,
    commands: [],
    truncated: false,
    bytes: 10,
    exit_code: null,
    cost_usd: null,
    ms: null,
    at: 0,
    raw: `/api/runs/r/messages/${seq}/raw?attempt=1`,
    ...rest,
  };
}

export function turn(seq: number, step: number, ...commands: string[]): MessageView {
  const kind = commands.length ? "command" : "thought";
  return message(seq, { step, role: "assistant", kind, commands });
}
