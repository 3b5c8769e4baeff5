import { describe, expect, it } from "vitest";
import { asData, cut, skipped } from "@/features/diff/hunks";
import { binaryWords, modeWords } from "@/features/diff/labels";
import { differing, tokensOf } from "@/features/diff/tokens";
import { withoutWhitespace } from "@/features/diff/whitespace";
import { parsePatch } from "@/lib/patch/parse";
import type { Hunk, PatchFile } from "@/lib/patch/types";

function hunkOf(...lines: string[]): Hunk {
  const old = lines.filter((line) => !line.startsWith("+")).length;
  const now = lines.filter((line) => !line.startsWith("-")).length;
  const head = `@@ -1,${old} +1,${now} @@`;
  const { files } = parsePatch(
    ["diff --git a/x b/x", "--- a/x", "+++ b/x", head, ...lines].join("\n"),
  );
  const hunk = files[0]?.hunks[0];
  if (!hunk) throw new Error("no hunk");
  return hunk;
}

const drawn = (hunk: Hunk | undefined) => hunk?.lines.map((line) => line.sign + line.text);

describe("ignoring whitespace", () => {
  it("shows the new version of lines that differ only in whitespace as unchanged", () => {
    const hunk = hunkOf("-  a = 1", "-  b = 2", "+    a = 1", "+    b = 3");
    const quiet = withoutWhitespace([hunk]);
    expect(drawn(quiet.hunks[0])).toEqual(["     a = 1", "-  b = 2", "+    b = 3"]);
    expect(quiet.hidden).toBe(1);
  });

  it("drops a hunk with only whitespace changes, and counts its lines", () => {
    const hunk = hunkOf(" x", "-a\t=1", "-b", "+a =  1", "+b\r");
    expect(withoutWhitespace([hunk])).toEqual({ hunks: [], hidden: 2 });
  });

  it("keeps the order of lines in between", () => {
    const hunk = hunkOf("-a", "-gone", "-b", "+ a", "+come", "+ b");
    expect(drawn(withoutWhitespace([hunk]).hunks[0])).toEqual(["  a", "-gone", "+come", "  b"]);
  });

  it("never loses or repeats a line", () => {
    const hunk = hunkOf("-x", "-y", "-x", "+ y", "+ x", "+ x", "+ y");
    const quiet = withoutWhitespace([hunk]);
    const lines = quiet.hunks[0]?.lines ?? [];
    expect(lines.filter((line) => line.sign !== "+")).toHaveLength(3);
    expect(lines.filter((line) => line.sign !== "-")).toHaveLength(4);
  });

  it("keeps line numbers ascending", () => {
    const hunk = hunkOf(" k", "-a", "-b", "-c", "+ a", "+n", "+ c", " z");
    const lines = withoutWhitespace([hunk]).hunks[0]?.lines ?? [];
    const now = lines.filter((line) => line.sign !== "-").map((line) => line.now);
    const old = lines.filter((line) => line.sign !== "+").map((line) => line.old);
    expect(now).toEqual([1, 2, 3, 4, 5]);
    expect(old).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("marks inside a line", () => {
  it("cover the part between the common start and the common end", () => {
    expect(differing("known: Set = set()", "known: Counter = set()")).toEqual([
      { from: 7, upto: 10 },
      { from: 7, upto: 14 },
    ]);
  });

  it("are left out when two lines have little in common", () => {
    expect(differing("        return x", "        total += y")).toBeNull();
    expect(differing("", "")).toBeNull();
  });

  it("do not split a surrogate pair", () => {
    const [span] =
      differing("icon = '\u{1f600}' # same tail", "icon = '\u{1f603}' # same tail") ?? [];
    expect(span).toEqual({ from: 8, upto: 10 });
  });

  it("are created for hidden characters, line endings and very long lines only", () => {
    const hunk = hunkOf(" plain", "+a\u202eb", "+cr\r", `+${"x".repeat(5000)}`);
    const tokens = tokensOf([hunk]);
    expect(tokens.new[0]).toBeUndefined();
    expect(tokens.new[1]).toEqual([{ type: "text", value: "a\u202eb" }]);
    expect(tokens.new[2]?.at(-1)).toEqual({ type: "note", value: "CR" });
    expect(tokens.new[3]?.at(-1)).toEqual({ type: "note", value: "… 3,000 more characters" });
  });
});

describe("hunks for the table", () => {
  it("alternate removed and added lines when split", () => {
    const { changes } = asData(hunkOf("-a", "-b", "+c", "+d", "+e"), "split");
    expect(changes.map((change) => change.content)).toEqual(["a", "c", "b", "d", "e"]);
  });

  it("are cut at a number of lines", () => {
    const hunk = hunkOf(" a", " b", " c");
    expect(cut([hunk, hunk], 4).map((hunk) => hunk.lines.length)).toEqual([3, 1]);
    expect(cut([hunk, hunk], 0)).toEqual([]);
  });

  it("count the lines between them", () => {
    const at = (newStart: number): Hunk => ({ ...hunkOf(" a"), newStart });
    expect(skipped(at(1), undefined)).toBe(0);
    expect(skipped(at(10), at(1))).toBe(8);
  });
});

describe("labels", () => {
  const file: PatchFile = {
    path: "x",
    kind: "modified",
    oldMode: "100644",
    newMode: "100755",
    added: 0,
    removed: 0,
    binary: { oldSize: 200, newSize: 4096, deltaSize: null },
    hunks: [],
  };

  it("describe modes and sizes", () => {
    expect(modeWords(file)).toBe(
      "Changed from a plain file (100644) to an executable file (100755)",
    );
    expect(modeWords({ ...file, oldMode: "", newMode: "120000" })).toBe("This is a symbolic link");
    expect(binaryWords(file)).toBe("Binary file, 200 B before and 4.0 KB after");
  });
});
