import type { MessageView } from "@/api/types";
import { cleaned } from "@/lib/ansi";

export const LINES = 12;
/** Limit for texts with very long lines, about twelve full lines. */
const CHARACTERS = 2400;

export interface Excerpt {
  text: string;
  commands: readonly string[];
  /** Number of hidden lines; at least 1 if a long line is cut. */
  rest: number;
  /** The excerpt is the end of the text. */
  isTail: boolean;
}

/** The part of a message that is shown before it is expanded. */
export function excerpt(message: MessageView): Excerpt {
  const isTail = message.kind === "output" && message.is_test;
  const text = message.kind === "output" ? cleaned(message.text).trimEnd() : message.text.trimEnd();
  const shownText = isTail ? tailOf(text) : headOf(text, LINES);
  const commands: string[] = [];
  let [room, rest] = [LINES, shownText.rest];
  for (const command of message.commands) {
    const head = headOf(command.trimEnd(), room);
    if (head.text || room > 0) commands.push(head.text);
    room = Math.max(0, room - lineCount(head.text));
    rest += head.rest;
  }
  return { text: shownText.text, commands, rest, isTail };
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

/** Number of lines that a cut removes: `\nb\nc` are two, the rest of a long line is one. */
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

/**
 * Estimated height of a message. Cached, because all messages are estimated and few are rendered.
 */
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
