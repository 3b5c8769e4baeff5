import type { MessageView } from "@/api/types";
import { isTurn } from "@/features/trajectory/kinds";

/** A message and its place within its step. */
export interface Row {
  message: MessageView;
  /** The first and the last that is shown of its step: between them is one box. */
  isFirst: boolean;
  isLast: boolean;
  /** The command that printed it, when its step has several. */
  about: string;
}

/** `all` is every loaded message, `shown` those that the filter lets through. */
export function rowsOf(all: readonly MessageView[], shown: readonly MessageView[]): Row[] {
  const abouts = commandsOfOutputs(all);
  return shown.map((message, place) => ({
    message,
    isFirst: shown[place - 1]?.step !== message.step,
    isLast: shown[place + 1]?.step !== message.step,
    about: abouts.get(message.seq) ?? "",
  }));
}

/** Outputs come in the order of the commands: the third is what the third one printed. */
function commandsOfOutputs(all: readonly MessageView[]): Map<number, string> {
  const abouts = new Map<number, string>();
  let turn: MessageView | undefined;
  let next = 0;
  for (const message of all) {
    if (isTurn(message)) {
      [turn, next] = [message, 0];
    } else if (message.kind === "output" && turn?.step === message.step) {
      const command = turn.commands[next];
      if (command && turn.commands.length > 1) abouts.set(message.seq, command);
      next += 1;
    }
  }
  return abouts;
}

/** Where the row with that number is, or would be. */
export function placeOf(rows: readonly Row[], seq: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.message.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The tests that were the newest when a message was written. */
export interface TestRun {
  seq: number;
  command: string;
  exitCode: number | null;
  output: string;
}

export function testsAt(messages: readonly MessageView[], seq: number): TestRun | null {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const output = messages[at];
    if (!output || output.seq > seq || output.kind !== "output") continue;
    const first = messages.findLastIndex((m, place) => place < at && isTurn(m));
    const turn = messages[first]?.step === output.step ? messages[first] : undefined;
    // Of trajectories from before outputs were marked only the command tells.
    if (!output.is_test && !(turn?.is_test && turn.commands.length === 1)) continue;
    return {
      seq: output.seq,
      command: turn?.commands[at - first - 1] ?? turn?.commands.join("\n") ?? "",
      exitCode: output.exit_code,
      output: output.text,
    };
  }
  return null;
}

/** The message after which the files stood as they did at `seq`, as far as that is loaded. */
export function editAt(messages: readonly MessageView[], seq: number): number {
  return messages.findLast((m) => m.seq <= seq && m.edit !== null)?.seq ?? seq;
}
