import type { HunkTokens, TokenNode } from "react-diff-view";
import { blocks } from "@/features/diff/whitespace";
import { piecesOf } from "@/lib/hostile";
import type { Hunk, Line } from "@/lib/patch/types";

const LONGEST = 2000;
/** Lines that share less than this are treated as different lines. */
const ALIKE = 0.3;

interface Span {
  from: number;
  upto: number;
}

/** Returns the spans between the common start and the common end of two lines. */
export function differing(one: string, two: string): [Span, Span] | null {
  const shortest = Math.min(one.length, two.length);
  let head = 0;
  while (head < shortest && one[head] === two[head]) head += 1;
  if (isHalf(one, head)) head -= 1;
  let tail = 0;
  while (tail < shortest - head && one.at(-1 - tail) === two.at(-1 - tail)) tail += 1;
  if (isHalf(one, one.length - tail)) tail -= 1;
  const text = Math.max(one.trim().length, two.trim().length);
  const blank = Math.min(head, one.length - one.trimStart().length);
  if (!text || (head - blank + tail) / text < ALIKE) return null;
  return [
    { from: head, upto: one.length - tail },
    { from: head, upto: two.length - tail },
  ];
}

/** Whether the position splits a surrogate pair. */
function isHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}

/** Tokens for lines that plain text cannot show correctly. */
export function tokensOf(hunks: readonly Hunk[]): HunkTokens {
  const tokens: HunkTokens = { old: [], new: [] };
  for (const hunk of hunks) {
    for (const block of blocks(hunk.lines)) {
      const spans = changedSpans(block);
      for (const line of block) put(tokens, line, lineTokens(line, spans.get(line)));
    }
  }
  return tokens;
}

function changedSpans(block: readonly Line[]): Map<Line, Span> {
  const removed = block.filter((line) => line.sign === "-");
  const added = block.filter((line) => line.sign === "+");
  const spans = new Map<Line, Span>();
  for (const [place, line] of removed.entries()) {
    const counterpart = added[place];
    const spansOfPair =
      counterpart && differing(line.text.slice(0, LONGEST), counterpart.text.slice(0, LONGEST));
    if (!counterpart || !spansOfPair) continue;
    spans.set(line, spansOfPair[0]);
    spans.set(counterpart, spansOfPair[1]);
  }
  return spans;
}

function put(tokens: HunkTokens, line: Line, nodes: TokenNode[] | null): void {
  if (!nodes) return;
  if (line.sign !== "+") tokens.old[line.old - 1] = nodes;
  if (line.sign !== "-") tokens.new[line.now - 1] = nodes;
}

function lineTokens(line: Line, span: Span | undefined): TokenNode[] | null {
  const { kept, notes } = readable(line);
  const isPlain = !span && !notes.length && piecesOf(kept).every((piece) => !piece.hidden);
  if (isPlain) return null;
  const [from, upto] = span ? [span.from, Math.min(span.upto, kept.length)] : [0, 0];
  const nodes = [
    { type: "text", value: kept.slice(0, from) },
    { type: "edit", value: kept.slice(from, upto) },
    { type: "text", value: kept.slice(upto) },
    ...notes.map((value) => ({ type: "note", value })),
  ];
  return nodes.filter((node) => node.value);
}

/** Splits a line into readable text and notes about what is not visible. */
function readable(line: Line): { kept: string; notes: string[] } {
  const notes: string[] = [];
  let kept = line.text;
  if (kept.endsWith("\r")) {
    kept = kept.slice(0, -1);
    notes.push("CR");
  }
  if (kept.length > LONGEST) {
    notes.unshift(`… ${(kept.length - LONGEST).toLocaleString("en-US")} more characters`);
    kept = kept.slice(0, LONGEST);
  }
  if (line.isLastWithoutEnd) notes.push("no newline at end of file");
  return { kept, notes };
}
