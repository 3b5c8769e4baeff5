import { headerPath, linePath } from "@/lib/patch/path";
import type { Binary, Hunk, Line, Patch, PatchFile } from "@/lib/patch/types";

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/u;
const MODE = /^(old mode|new mode|deleted file mode|new file mode) ([0-7]{6})$/u;
const INDEX = /^index [0-9a-f]+\.\.[0-9a-f]+(?: ([0-7]{6}))?$/u;
const BLOCK = /^(literal|delta) (\d{1,12})$/u;

interface Reader {
  lines: readonly string[];
  at: number;
}

/**
 * Parses the output of `git diff --binary --full-index --no-renames`. Never throws: lines that it
 * cannot parse are kept, to be shown as text.
 */
export function parsePatch(text: string): Patch {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const reader: Reader = { lines, at: 0 };
  const patch: Patch = { files: [], unread: [] };
  while (reader.at < lines.length) {
    if (peek(reader).startsWith("diff --git ")) patch.files.push(readFile(reader));
    else patch.unread.push(take(reader));
  }
  return patch;
}

function peek(reader: Reader): string {
  return reader.lines[reader.at] ?? "";
}

function take(reader: Reader): string {
  const line = peek(reader);
  reader.at += 1;
  return line;
}

function readFile(reader: Reader): PatchFile {
  const file: PatchFile = {
    path: headerPath(take(reader).slice("diff --git ".length)),
    kind: "modified",
    oldMode: "",
    newMode: "",
    added: 0,
    removed: 0,
    binary: null,
    hunks: [],
  };
  readHead(reader, file);
  readBody(reader, file);
  if (file.kind === "modified" && !file.hunks.length && !file.binary) {
    if (file.oldMode !== file.newMode) file.kind = "mode";
  }
  return file;
}

/** Reads git's header lines of a file, up to its content. */
function readHead(reader: Reader, file: PatchFile): void {
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = peek(reader);
    if (/^(diff --git |--- |@@ |GIT binary patch$|Binary files )/u.test(line)) return;
    const [, word = "", mode = ""] = MODE.exec(line) ?? [];
    const shared = INDEX.exec(line)?.[1];
    if (word === "old mode" || word === "deleted file mode") file.oldMode = mode;
    if (word === "new mode" || word === "new file mode") file.newMode = mode;
    if (word === "new file mode") file.kind = "added";
    if (word === "deleted file mode") file.kind = "deleted";
    if (shared) file.oldMode = file.newMode = shared;
  }
}

function readBody(reader: Reader, file: PatchFile): void {
  const line = peek(reader);
  if (line === "GIT binary patch") file.binary = readBinary(reader, file);
  else if (line.startsWith("Binary files ")) {
    take(reader);
    file.binary = { oldSize: null, newSize: null, deltaSize: null };
  } else if (line.startsWith("--- ")) {
    const old = linePath(take(reader).slice(4));
    const now = peek(reader).startsWith("+++ ") ? linePath(take(reader).slice(4)) : null;
    file.path = now ?? old ?? file.path;
    if (old === null && now !== null) file.kind = "added";
    if (now === null && old !== null) file.kind = "deleted";
    readHunks(reader, file);
  } else readHunks(reader, file);
}

/** The forward block comes first, then the reverse one: the new size, then the old size. */
function readBinary(reader: Reader, file: PatchFile): Binary {
  take(reader);
  const sizes: { kind: string; size: number }[] = [];
  for (let block = BLOCK.exec(peek(reader)); block; block = BLOCK.exec(peek(reader))) {
    sizes.push({ kind: block[1] ?? "", size: Number(block[2]) });
    while (reader.at < reader.lines.length && take(reader) !== "");
  }
  const [forward, reverse] = sizes;
  return {
    newSize: file.kind === "deleted" ? null : literal(forward),
    oldSize: file.kind === "added" ? null : literal(reverse),
    deltaSize: forward?.kind === "delta" ? forward.size : null,
  };
}

function literal(block: { kind: string; size: number } | undefined): number | null {
  return block?.kind === "literal" ? block.size : null;
}

function readHunks(reader: Reader, file: PatchFile): void {
  for (let head = HUNK.exec(peek(reader)); head; head = HUNK.exec(peek(reader))) {
    take(reader);
    const hunk = readHunk(reader, head);
    file.hunks.push(hunk);
    for (const line of hunk.lines) {
      if (line.sign === "+") file.added += 1;
      if (line.sign === "-") file.removed += 1;
    }
  }
}

/** Counts lines as the hunk header announces them: lines of a file may look like headers. */
function readHunk(reader: Reader, head: RegExpExecArray): Hunk {
  const [oldStart, newStart] = [Number(head[1]), Number(head[3])];
  const [oldLines, newLines] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
  let [old, now] = [oldStart, newStart];
  const lines: Line[] = [];
  while (reader.at < reader.lines.length) {
    const raw = peek(reader);
    // Some tools strip the leading space of an empty line.
    const sign = raw === "" ? " " : raw.charAt(0);
    const last = lines.at(-1);
    if (sign === "\\" && last) last.isLastWithoutEnd = true;
    else if (old >= oldStart + oldLines && now >= newStart + newLines) break;
    else if (sign !== "+" && sign !== "-" && sign !== " ") break;
    else {
      lines.push({ sign, text: raw.slice(1), old, now, isLastWithoutEnd: false });
      if (sign !== "+") old += 1;
      if (sign !== "-") now += 1;
    }
    reader.at += 1;
  }
  return { title: head[5] ?? "", oldStart, oldLines, newStart, newLines, lines };
}
