import { bytes } from "@/lib/format";
import type { FileKind, PatchFile } from "@/lib/patch/types";

/** A sign, a word and a colour for what happened to a file. */
export const KINDS: Record<FileKind, { sign: string; word: string; colour: string }> = {
  added: { sign: "A", word: "added", colour: "text-good" },
  deleted: { sign: "D", word: "deleted", colour: "text-bad" },
  modified: { sign: "M", word: "modified", colour: "text-accent-text" },
  mode: { sign: "P", word: "mode changed", colour: "text-second" },
};

const MODES: Record<string, string> = {
  "100644": "a plain file",
  "100755": "executable",
  "120000": "a symbolic link",
  "160000": "a submodule",
};

function mode(name: string): string {
  return MODES[name] ?? name;
}

/** What there is to say of a file's mode; "" where it is the usual one. */
export function modeWords(file: PatchFile): string {
  const { oldMode, newMode } = file;
  if (oldMode && newMode && oldMode !== newMode) {
    return `was ${mode(oldMode)} (${oldMode}), is ${mode(newMode)} (${newMode})`;
  }
  const only = newMode || oldMode;
  return only && only !== "100644" ? mode(only) : "";
}

/** The sizes of a file that has no lines. */
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
