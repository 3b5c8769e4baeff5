import type { MessageView } from "@/api/types";
import { isTurn } from "@/features/trajectory/kinds";

/** A message and its position in its step. */
export interface Row {
  message: MessageView;
  /** First or last visible message of its step. The messages between share one frame. */
  isFirst: boolean;
  isLast: boolean;
  /** The command that printed the output, if its step has several commands. */
  about: string;
}

/** `all` are the loaded messages, `shown` those that pass the filter. */
export function rowsOf(all: readonly MessageView[], shown: readonly MessageView[]): Row[] {
  const abouts = commandsOfOutputs(all);
  return shown.map((message, place) => ({
    message,
    isFirst: shown[place - 1]?.step !== message.step,
    isLast: shown[place + 1]?.step !== message.step,
    about: abouts.get(message.seq) ?? "",
  }));
}

/** Outputs have the order of the commands: the third output belongs to the third command. */
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

/** Index of the row with this number, or where it would be. */
export function placeOf(rows: readonly Row[], seq: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.message.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The latest tests before a message. */
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
    // Older trajectories do not mark test outputs, only test commands.
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

/** The last edit up to `seq` among the loaded messages. */
export function editAt(messages: readonly MessageView[], seq: number): number {
  return messages.findLast((m) => m.seq <= seq && m.edit !== null)?.seq ?? seq;
}
