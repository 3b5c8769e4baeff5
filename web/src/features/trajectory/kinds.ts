import type { MessageView } from "@/api/types";

export const FILTERS = ["all", "thought", "command", "output", "edit", "test", "error"] as const;
export type Filter = (typeof FILTERS)[number];

type Test = (message: MessageView) => boolean;

const IS: Record<Filter, Test> = {
  all: () => true,
  thought: (m) => m.kind === "thought" || (m.kind === "command" && m.text.trim() !== ""),
  command: (m) => m.kind === "command",
  output: (m) => m.kind === "output",
  edit: (m) => m.edit !== null,
  test: (m) => m.is_test,
  error: (m) => m.exit_code !== null && m.exit_code !== 0,
};

/** Filters that also show the turn, because a result is read with its command. */
const WITH_TURN: readonly Filter[] = ["edit", "test", "error"];

export function toFilter(word: string | null): Filter {
  return FILTERS.find((filter) => filter === word) ?? "all";
}

export function isTurn(message: MessageView): boolean {
  return message.kind === "command" || message.kind === "thought";
}

export function filtered(messages: readonly MessageView[], filter: Filter): readonly MessageView[] {
  if (filter === "all") return messages;
  const is = IS[filter];
  if (!WITH_TURN.includes(filter)) return messages.filter(is);
  const steps = new Set(messages.filter(is).map((message) => message.step));
  return messages.filter((m) => is(m) || (isTurn(m) && steps.has(m.step)));
}

/** Number of messages per filter, without their turns. */
export function counted(messages: readonly MessageView[]): Record<Filter, number> {
  const counts = Object.fromEntries(FILTERS.map((filter) => [filter, 0])) as Record<Filter, number>;
  for (const message of messages) {
    for (const filter of FILTERS) if (IS[filter](message)) counts[filter] += 1;
  }
  return counts;
}
