import type { PatchFile } from "@/lib/patch/types";

/** A path with both contestants' changes to it. */
export interface Aligned {
  path: string;
  a: PatchFile | null;
  b: PatchFile | null;
  /** Both changes are identical. */
  isSame: boolean;
}

/** Files changed by both first, then A's, then B's. */
export function align(a: readonly PatchFile[], b: readonly PatchFile[]): Aligned[] {
  const [mine, theirs] = [byPath(a), byPath(b)];
  const paths = [...new Set([...mine.keys(), ...theirs.keys()])];
  const rows = paths.map((path): Aligned => {
    const [one, two] = [mine.get(path) ?? null, theirs.get(path) ?? null];
    return { path, a: one, b: two, isSame: one !== null && two !== null && isSame(one, two) };
  });
  return rows.toSorted((one, two) => order(one) - order(two));
}

function byPath(files: readonly PatchFile[]): Map<string, PatchFile> {
  return new Map(files.map((file) => [file.path, file]));
}

function order(row: Aligned): number {
  if (row.a && row.b) return 0;
  return row.a ? 1 : 2;
}

function isSame(one: PatchFile, two: PatchFile): boolean {
  // Binary content is not available, so binary files are never reported as equal.
  if (one.binary || two.binary || one.kind !== two.kind) return false;
  return one.newMode === two.newMode && change(one) === change(two);
}

function change(file: PatchFile): string {
  return file.hunks
    .flatMap((hunk) => [
      `@${hunk.oldStart}`,
      ...hunk.lines.map((line) => `${line.sign}${line.text}${line.isLastWithoutEnd ? "\\" : ""}`),
    ])
    .join("\n");
}

/** The previous or next file. Null stands for all files, and the list wraps around. */
export function neighbour(
  rows: readonly Aligned[],
  path: string | null,
  by: 1 | -1,
): string | null {
  const places = [null, ...rows.map((row) => row.path)];
  const at = Math.max(0, places.indexOf(path));
  return places[(at + by + places.length) % places.length] ?? null;
}
