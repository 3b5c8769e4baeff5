/** A parsed patch, file by file. */
export interface Patch {
  files: PatchFile[];
  /** Lines that belong to no file. */
  unread: string[];
}

export type FileKind = "added" | "deleted" | "modified" | "mode";

export interface PatchFile {
  path: string;
  kind: FileKind;
  /** As git writes it (100644, 100755, 120000); "" if unknown. */
  oldMode: string;
  newMode: string;
  added: number;
  removed: number;
  binary: Binary | null;
  hunks: Hunk[];
}

/** Sizes in bytes; null if unknown or if there is no such file. */
export interface Binary {
  oldSize: number | null;
  newSize: number | null;
  deltaSize: number | null;
}

export interface Hunk {
  /** The function or class that git names above the hunk. */
  title: string;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: Line[];
}

export interface Line {
  sign: "+" | "-" | " ";
  text: string;
  old: number;
  now: number;
  /** The file ends here without a final line feed. */
  isLastWithoutEnd: boolean;
}

export function lineCount(file: PatchFile): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}
