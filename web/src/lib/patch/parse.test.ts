import { describe, expect, it } from "vitest";
import { parsePatch } from "@/lib/patch/parse";
import { headerPath, linePath, pathText, unquoted } from "@/lib/patch/path";

const INDEX = `index ${"1".repeat(40)}..${"2".repeat(40)}`;

function only(...lines: string[]) {
  const { files, unread } = parsePatch(`${lines.join("\n")}\n`);
  expect(unread).toEqual([]);
  expect(files).toHaveLength(1);
  const [file] = files;
  if (!file) throw new Error("no file");
  return file;
}

describe("a patch", () => {
  it("is parsed file by file, with line numbers", () => {
    const file = only(
      "diff --git a/x.py b/x.py",
      `${INDEX} 100644`,
      "--- a/x.py",
      "+++ b/x.py",
      "@@ -3,3 +3,4 @@ class A:",
      " one",
      "-two",
      "+zwei",
      "+drei",
      " four",
    );
    expect(file).toMatchObject({ path: "x.py", kind: "modified", added: 2, removed: 1 });
    expect(file.hunks[0]?.title).toBe("class A:");
    expect(file.hunks[0]?.lines.map(({ sign, old, now }) => [sign, old, now])).toEqual([
      [" ", 3, 3],
      ["-", 4, 4],
      ["+", 5, 4],
      ["+", 5, 5],
      [" ", 5, 6],
    ]);
  });

  it("can contain lines that look like headers", () => {
    const file = only(
      "diff --git a/x b/x",
      `${INDEX} 100644`,
      "--- a/x",
      "+++ b/x",
      "@@ -1,3 +1,3 @@",
      "--- a/y",
      "-diff --git a/y b/y",
      "-@@ -1 +1 @@",
      "+++ b/y",
      "+GIT binary patch",
      "+@@ -9 +9 @@",
    );
    expect([file.added, file.removed, file.hunks.length]).toEqual([3, 3, 1]);
  });

  it("marks the last line of a file without a final line feed", () => {
    const file = only(
      "diff --git a/x b/x",
      `${INDEX} 100644`,
      "--- a/x",
      "+++ b/x",
      "@@ -1 +1 @@",
      "-old",
      "\\ No newline at end of file",
      "+new",
      "\\ No newline at end of file",
    );
    expect(file.hunks[0]?.lines.map((line) => line.isLastWithoutEnd)).toEqual([true, true]);
  });

  it("keeps carriage returns and empty lines whose leading space was stripped", () => {
    const file = only(
      "diff --git a/x b/x",
      `${INDEX} 100644`,
      "--- a/x",
      "+++ b/x",
      "@@ -1,3 +1,3 @@",
      " a\r",
      "",
      "-b\r",
      "+b",
    );
    expect(file.hunks[0]?.lines.map((line) => line.text)).toEqual(["a\r", "", "b\r", "b"]);
  });

  it.each([
    ["new file mode 100644", "added"],
    ["deleted file mode 100644", "deleted"],
  ])("recognises an empty file that is added or deleted (%s)", (mode, kind) => {
    expect(only("diff --git a/e b/e", mode, INDEX)).toMatchObject({ kind, hunks: [] });
  });

  it("recognises a mode change, with and without changed lines", () => {
    const head = ["diff --git a/run b/run", "old mode 100644", "new mode 100755"];
    expect(only(...head)).toMatchObject({ kind: "mode", oldMode: "100644", newMode: "100755" });
    const both = only(...head, INDEX, "--- a/run", "+++ b/run", "@@ -1 +1 @@", "-a", "+b");
    expect(both).toMatchObject({ kind: "modified", newMode: "100755", added: 1 });
  });
});

describe("a binary file", () => {
  const binary = (...blocks: string[]) =>
    only("diff --git a/i.png b/i.png", `${INDEX} 100644`, "GIT binary patch", ...blocks);

  it("has both sizes", () => {
    const file = binary("literal 300", "zcmabc", "", "literal 200", "zcmdef", "");
    expect(file.binary).toEqual({ newSize: 300, oldSize: 200, deltaSize: null });
  });

  it("has the size of a delta, which is not the file size", () => {
    const file = binary("delta 12", "zcmabc", "", "delta 14", "zcmdef", "");
    expect(file.binary).toEqual({ newSize: null, oldSize: null, deltaSize: 12 });
  });

  it("may have no size", () => {
    const file = only("diff --git a/i b/i", INDEX, "Binary files a/i and b/i differ");
    expect(file.binary).toEqual({ newSize: null, oldSize: null, deltaSize: null });
  });

  it("does not consume the file after it", () => {
    const { files } = parsePatch(
      `diff --git a/i b/i\n${INDEX} 100644\nGIT binary patch\nliteral 1\nIcmZQz\n\nliteral 0\nHcmV?d00001\n\ndiff --git a/j b/j\nnew file mode 100644\n${INDEX}\n`,
    );
    expect(files.map((file) => file.path)).toEqual(["i", "j"]);
  });
});

describe("a path", () => {
  it.each([
    ["a/sp ace.py b/sp ace.py", "sp ace.py"],
    ["a/x b/x b/x b/x", "x b/x"],
    ['"a/t\\303\\244\\tb.py" "b/t\\303\\244\\tb.py"', "tä\tb.py"],
    ['"a/q\\"\\\\.py" "b/q\\"\\\\.py"', 'q"\\.py'],
  ])("%s", (names, path) => {
    expect(headerPath(names)).toBe(path);
  });

  it("is decoded as UTF-8, with a replacement character for invalid bytes", () => {
    expect(unquoted('"\\342\\200\\256.py"')).toBe("\u202e.py");
    expect(unquoted('"\\377"')).toBe("\ufffd");
  });

  it("may be /dev/null, or have a tab after it", () => {
    expect(linePath("/dev/null")).toBeNull();
    expect(linePath("b/sp ace.py\t")).toBe("sp ace.py");
  });

  it("is one line", () => {
    expect(pathText("a\nb\tc")).toBe("a\\nb\\tc");
  });
});

describe("text that is not a patch", () => {
  it("is kept", () => {
    expect(parsePatch("hello\nworld")).toEqual({ files: [], unread: ["hello", "world"] });
  });

  it("has no lines when it is empty", () => {
    expect(parsePatch("")).toEqual({ files: [], unread: [] });
  });

  it.each([
    "diff --git ",
    "diff --git a b\n@@ -1,9 +1,9 @@\n+x",
    "diff --git a/x b/x\n--- a/x",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -999999999,999999999 +1 @@\n-x",
    'diff --git "a/x\n@@ nonsense @@',
    "diff --git a/x b/x\nGIT binary patch\nliteral 5",
    "diff --git a/x b/x\n@@ -0,0 +0,0 @@\n\\ No newline",
  ])("does not throw when it is cut or invalid (%#)", (text) => {
    expect(() => parsePatch(text)).not.toThrow();
  });

  it("does not throw when a valid patch is cut anywhere", () => {
    const patch = `diff --git a/x b/x\n${INDEX} 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\ndiff --git "a/\\303\\244" "b/\\303\\244"\nnew file mode 100755\n${INDEX}\nGIT binary patch\nliteral 3\nabc\n\nliteral 0\nabc\n\n`;
    for (let at = 0; at < patch.length; at += 1) parsePatch(patch.slice(0, at));
    for (let at = 0; at < patch.length; at += 1) parsePatch(patch.slice(at));
  });
});
