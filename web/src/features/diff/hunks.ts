import type { ChangeData, HunkData } from "react-diff-view";
import { blocks } from "@/features/diff/whitespace";
import type { Hunk, Line } from "@/lib/patch/types";

export type Layout = "unified" | "split";

/** The first lines of a file's hunks, at most so many. */
export function cut(hunks: readonly Hunk[], most: number): Hunk[] {
  const kept: Hunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    if (left <= 0) break;
    kept.push(left >= hunk.lines.length ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return kept;
}

/** As the table takes them. */
export function asData(hunk: Hunk, layout: Layout): HunkData {
  const lines = layout === "split" ? blocks(hunk.lines).flatMap(zipped) : hunk.lines;
  return {
    content: hunk.title,
    oldStart: hunk.oldStart,
    oldLines: hunk.oldLines,
    newStart: hunk.newStart,
    newLines: hunk.newLines,
    changes: lines.map(asChange),
  };
}

/** Side by side, each line that goes stands beside the one that comes in its place. */
function zipped(block: Line[]): Line[] {
  const gone = block.filter((line) => line.sign === "-");
  const come = block.filter((line) => line.sign === "+");
  if (!gone.length || !come.length) return block;
  const pairs = Array.from({ length: Math.max(gone.length, come.length) }, (_, place) => [
    gone[place],
    come[place],
  ]);
  return pairs.flat().filter((line) => line !== undefined);
}

const CHANGES: Record<Line["sign"], (line: Line) => ChangeData> = {
  "+": ({ text, now }) => ({ type: "insert", isInsert: true, content: text, lineNumber: now }),
  "-": ({ text, old }) => ({ type: "delete", isDelete: true, content: text, lineNumber: old }),
  " ": ({ text, old, now }) => ({
    type: "normal",
    isNormal: true,
    content: text,
    oldLineNumber: old,
    newLineNumber: now,
  }),
};

function asChange(line: Line): ChangeData {
  return CHANGES[line.sign](line);
}

/** How many lines of the file lie between two hunks, or before the first. */
export function skipped(hunk: Hunk, before: Hunk | undefined): number {
  const from = before ? before.newStart + before.newLines : 1;
  return Math.max(0, hunk.newStart - from);
}
