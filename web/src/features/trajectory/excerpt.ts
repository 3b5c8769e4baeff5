import type { MessageView } from "@/api/types";
import { cleaned } from "@/lib/ansi";

export const LINES = 12;
/** A single line can be as long as a book: no more of it than twelve lines would hold. */
const CHARACTERS = 2400;

export interface Excerpt {
  text: string;
  commands: readonly string[];
  /** Lines that are not shown; of one very long line at least 1. */
  rest: number;
  /** The beginning is what is left out. */
  isTail: boolean;
}

/** What is shown of a message before somebody wants all of it. */
export function excerpt(message: MessageView): Excerpt {
  const isTail = message.kind === "output" && message.is_test;
  const text = message.kind === "output" ? cleaned(message.text).trimEnd() : message.text.trimEnd();
  const said = isTail ? tailOf(text) : headOf(text, LINES);
  const commands: string[] = [];
  let [room, rest] = [LINES, said.rest];
  for (const command of message.commands) {
    const one = headOf(command.trimEnd(), room);
    if (one.text || room > 0) commands.push(one.text);
    room = Math.max(0, room - lineCount(one.text));
    rest += one.rest;
  }
  return { text: said.text, commands, rest, isTail };
}

export function whole(message: MessageView): Excerpt {
  return {
    text: message.text.trimEnd(),
    commands: message.commands.map((command) => command.trimEnd()),
    rest: 0,
    isTail: false,
  };
}

function headOf(text: string, lines: number): { text: string; rest: number } {
  if (lines <= 0) return { text: "", rest: lineCount(text) };
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  const upto = Math.min(end < 0 ? text.length : end, CHARACTERS);
  return { text: text.slice(0, upto), rest: linesLeft(text.slice(upto)) };
}

function tailOf(text: string): { text: string; rest: number } {
  let start = text.length;
  for (let line = 0; line < LINES && start >= 0; line += 1) {
    start = text.lastIndexOf("\n", start - 1);
    if (start <= 0) break;
  }
  const from = Math.max(start <= 0 ? 0 : start + 1, text.length - CHARACTERS);
  return { text: text.slice(from), rest: linesLeft(text.slice(0, from)) };
}

/** Lines that a cut leaves out: `\nb\nc` are two, the rest of a long line is one. */
function linesLeft(rest: string): number {
  if (!rest) return 0;
  return Math.max(1, lineCount(rest) - 1);
}

function lineCount(text: string): number {
  if (!text) return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

const LINE_PX = 18;
const WIDTH = 100;
const guesses = new WeakMap<MessageView, number>();

/** About how high a message will be. All are guessed, few are ever shown: nothing is read twice. */
export function guessPx(message: MessageView): number {
  const known = guesses.get(message);
  if (known) return known;
  let commands = 0;
  for (const command of message.commands.slice(0, LINES)) commands += firstLines(command) + 0.5;
  const isLong = commands > LINES || message.text.length > CHARACTERS;
  const lines = Math.min(LINES, commands) + firstLines(message.text);
  const px = 46 + lines * LINE_PX + (isLong ? 24 : 0);
  guesses.set(message, px);
  return px;
}

function firstLines(text: string): number {
  if (!text) return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines < LINES; at = text.indexOf("\n", at + 1)) {
    lines += 1;
  }
  return Math.max(lines, Math.min(LINES, Math.ceil(text.length / WIDTH / LINES)));
}
