import { bytes } from "@/lib/format";
import type { FileKind, PatchFile } from "@/lib/patch/types";

/** Sign, word and colour of each kind of change. */
export const KINDS: Record<FileKind, { sign: string; word: string; colour: string }> = {
  added: { sign: "A", word: "added", colour: "text-good" },
  deleted: { sign: "D", word: "deleted", colour: "text-bad" },
  modified: { sign: "M", word: "modified", colour: "text-accent-text" },
  mode: { sign: "P", word: "mode changed", colour: "text-second" },
};

const MODES: Record<string, string> = {
  "100644": "a plain file",
  "100755": "an executable file",
  "120000": "a symbolic link",
  "160000": "a submodule",
};

function mode(name: string): string {
  return MODES[name] ?? name;
}

/** Describes a file's mode; "" for a plain file. */
export function modeWords(file: PatchFile): string {
  const { oldMode, newMode } = file;
  if (oldMode && newMode && oldMode !== newMode) {
    return `Changed from ${mode(oldMode)} (${oldMode}) to ${mode(newMode)} (${newMode})`;
  }
  const only = newMode || oldMode;
  return only && only !== "100644" ? `This is ${mode(only)}` : "";
}

/** Describes the sizes of a binary file. */
export function binaryWords(file: PatchFile): string {
  const { oldSize = null, newSize = null, deltaSize = null } = file.binary ?? {};
  if (oldSize !== null && newSize !== null) {
    return `Binary file, ${bytes(oldSize)} before and ${bytes(newSize)} after`;
  }
  const size = newSize ?? oldSize;
  if (size !== null) return `Binary file, ${bytes(size)}`;
  if (deltaSize !== null) return `Binary file, stored as a delta of ${bytes(deltaSize)}`;
  return "Binary file of unknown size";
}
