import type { ChangeData, HunkData } from "react-diff-view";
import { blocks } from "@/features/diff/whitespace";
import type { Hunk, Line } from "@/lib/patch/types";

export type Layout = "unified" | "split";

/** The first lines of a file's hunks, up to a maximum. */
export function cut(hunks: readonly Hunk[], most: number): Hunk[] {
  const kept: Hunk[] = [];
  let remaining = most;
  for (const hunk of hunks) {
    if (remaining <= 0) break;
    kept.push(
      remaining >= hunk.lines.length ? hunk : { ...hunk, lines: hunk.lines.slice(0, remaining) },
    );
    remaining -= hunk.lines.length;
  }
  return kept;
}

/** Converts a hunk to the data of the table. */
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

/** Alternates removed and added lines, so that they are side by side. */
function zipped(block: Line[]): Line[] {
  const removed = block.filter((line) => line.sign === "-");
  const added = block.filter((line) => line.sign === "+");
  if (!removed.length || !added.length) return block;
  const pairs = Array.from({ length: Math.max(removed.length, added.length) }, (_, place) => [
    removed[place],
    added[place],
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

/** Number of unchanged lines between two hunks or before the first. */
export function skipped(hunk: Hunk, before: Hunk | undefined): number {
  const from = before ? before.newStart + before.newLines : 1;
  return Math.max(0, hunk.newStart - from);
}
