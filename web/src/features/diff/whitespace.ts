import type { Hunk, Line } from "@/lib/patch/types";

export interface Quieted {
  hunks: Hunk[];
  /** How many changed lines look unchanged now. */
  hidden: number;
}

/** The hunks with every line that differs only in whitespace shown as if it had not changed. */
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

/** Stretches of one kind: lines that stay, or lines that go with those that come for them. */
export function blocks(lines: readonly Line[]): Line[][] {
  const found: Line[][] = [];
  let before = "";
  for (const line of lines) {
    const starts = line.sign === " " ? before !== " " : before === " " || before === "";
    const turns = line.sign === "-" && before === "+";
    if (starts || turns) found.push([]);
    found.at(-1)?.push(line);
    before = line.sign;
  }
  return found;
}

function squeezed(line: Line): string {
  return line.text.replace(/\s+/gu, "");
}

/** Each line that goes meets, in order, the next one that comes and reads the same. */
function quieted(block: Line[]): Line[] {
  const gone = block.filter((line) => line.sign === "-");
  const come = block.filter((line) => line.sign === "+");
  if (!gone.length || !come.length) return block;
  const find = finder(come);
  let lines: Line[] = [];
  let waiting: Line[] = [];
  let next = 0;
  for (const line of gone) {
    const place = find(squeezed(line), next);
    const match = come[place];
    if (!match) {
      waiting.push(line);
      continue;
    }
    lines = place > next || waiting.length ? lines.concat(waiting, come.slice(next, place)) : lines;
    lines.push({ ...match, sign: " ", old: line.old });
    waiting = [];
    next = place + 1;
  }
  return lines.concat(waiting, come.slice(next));
}

/** Finds the first of these lines from a place on that reads so; -1: none. Places only grow. */
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
