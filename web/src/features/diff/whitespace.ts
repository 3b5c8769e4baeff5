import type { Hunk, Line } from "@/lib/patch/types";

export interface Quieted {
  hunks: Hunk[];
  /** Number of changed lines that are shown as unchanged. */
  hidden: number;
}

/** Returns the hunks with lines that differ only in whitespace as unchanged. */
export function withoutWhitespace(hunks: readonly Hunk[]): Quieted {
  let hidden = 0;
  const quiet: Hunk[] = [];
  for (const hunk of hunks) {
    const lines = blocks(hunk.lines).flatMap(quieted);
    hidden += hunk.lines.length - lines.length;
    if (lines.some((line) => line.sign !== " ")) quiet.push({ ...hunk, lines });
  }
  return { hunks: quiet, hidden };
}

/** Splits lines into blocks: unchanged lines, or removed lines with the added ones that follow. */
export function blocks(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  let before = "";
  for (const line of lines) {
    const starts = line.sign === " " ? before !== " " : before === " " || before === "";
    const turns = line.sign === "-" && before === "+";
    if (starts || turns) blocks.push([]);
    blocks.at(-1)?.push(line);
    before = line.sign;
  }
  return blocks;
}

function squeezed(line: Line): string {
  return line.text.replace(/\s+/gu, "");
}

/** Matches each removed line with the next added line that is equal except for whitespace. */
function quieted(block: Line[]): Line[] {
  const removed = block.filter((line) => line.sign === "-");
  const added = block.filter((line) => line.sign === "+");
  if (!removed.length || !added.length) return block;
  const find = finder(added);
  let lines: Line[] = [];
  let waiting: Line[] = [];
  let next = 0;
  for (const line of removed) {
    const place = find(squeezed(line), next);
    const match = added[place];
    if (!match) {
      waiting.push(line);
      continue;
    }
    lines =
      place > next || waiting.length ? lines.concat(waiting, added.slice(next, place)) : lines;
    lines.push({ ...match, sign: " ", old: line.old });
    waiting = [];
    next = place + 1;
  }
  return lines.concat(waiting, added.slice(next));
}

/**
 * Returns a function that finds the first equal line from a position on, or -1. Positions must not
 * decrease.
 */
function finder(lines: readonly Line[]): (key: string, from: number) => number {
  const known = new Map<string, { places: number[]; at: number }>();
  for (const [place, line] of lines.entries()) {
    const key = squeezed(line);
    const entry = known.get(key) ?? { places: [], at: 0 };
    entry.places.push(place);
    known.set(key, entry);
  }
  return (key, from) => {
    const entry = known.get(key);
    if (!entry) return -1;
    while ((entry.places[entry.at] ?? from) < from) entry.at += 1;
    return entry.places[entry.at] ?? -1;
  };
}
