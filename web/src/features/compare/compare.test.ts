import { describe, expect, it } from "vitest";
import { isSwapped, masker } from "@/features/compare/blind";
import { align, neighbour } from "@/features/compare/files";
import { bestFirst, pairOf } from "@/features/compare/pair";
import { scoreRows } from "@/features/compare/scores";
import { compared } from "@/features/compare/testOutcomes";
import { parsePatch } from "@/lib/patch/parse";
import { runOf, solveOf, verdictOf } from "@/testing/verdicts";

describe("the pair", () => {
  const runs = [
    runOf("third", { rank: 3 }),
    runOf("champion", { rank: 2 }),
    runOf("first", { rank: 1 }),
    runOf("queued", { rank: null, position: 9 }),
  ];
  const [third, champion, first] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]];
  const view = solveOf(runs);
  view.solve.champion = champion.id;

  it("is the champion and the best alternate unless the URL names others", () => {
    expect(bestFirst(view).map((run) => run.handle)).toEqual([
      "champion",
      "first",
      "third",
      "queued",
    ]);
    expect(pairOf(view, "", "")).toEqual([champion, first]);
    expect(pairOf(view, third.id, "")).toEqual([third, champion]);
    expect(pairOf(view, "", "champion")).toEqual([first, champion]);
  });

  it("never contains the same run twice, and needs two runs", () => {
    expect(pairOf(view, first.id, first.id)).toEqual([first, champion]);
    expect(pairOf(view, "nonsense", "nonsense")).toEqual([champion, first]);
    expect(pairOf(solveOf([first]), "", "")).toBeNull();
    expect(pairOf(solveOf([]), "", "")).toBeNull();
  });
});

describe("blind mode", () => {
  it("shuffles the same way each time, in any order of the arguments", () => {
    for (const seed of ["s1", "s2", "s3", ""]) {
      expect(isSwapped(seed, "x", "y")).toBe(isSwapped(seed, "x", "y"));
      expect(isSwapped(seed, "x", "y")).toBe(!isSwapped(seed, "y", "x"));
    }
  });

  it("swaps about half of many pairs", () => {
    let swapped = 0;
    for (let at = 0; at < 1000; at += 1) {
      if (isSwapped(`person-${at % 10}`, `run-${at}`, `run-${at + 1}`)) swapped += 1;
    }
    expect(swapped).toBeGreaterThan(400);
    expect(swapped).toBeLessThan(600);
  });

  it("hides every name, longest first", () => {
    const mask = masker(
      new Map([
        ["opus", "A"],
        ["opus-mini", "B"],
        ["", "unused"],
      ]),
    );
    expect(mask("opus-mini::t.py beats opus::t.py")).toBe("B::t.py beats A::t.py");
  });
});

describe("aligned files", () => {
  const files = (...paths: [string, string][]) =>
    parsePatch(
      paths
        .map(([path, line]) => `diff --git a/${path} b/${path}\n@@ -1 +1 @@\n-old\n+${line}\n`)
        .join(""),
    ).files;

  it("list files of both, then of A, then of B", () => {
    const rows = align(
      files(["only_a", "x"], ["both", "x"], ["same", "x"]),
      files(["only_b", "x"], ["same", "x"], ["both", "y"]),
    );
    expect(rows.map((row) => [row.path, Boolean(row.a), Boolean(row.b), row.isSame])).toEqual([
      ["both", true, true, false],
      ["same", true, true, true],
      ["only_a", true, false, false],
      ["only_b", false, true, false],
    ]);
  });

  it("are never equal when their content is unknown", () => {
    const binary = parsePatch(
      "diff --git a/i b/i\nindex 11..22 100644\nGIT binary patch\nliteral 1\nx\n\n",
    ).files;
    expect(align(binary, binary)[0]?.isSame).toBe(false);
  });

  it("wrap around, with all files as first entry", () => {
    const rows = align(files(["x", "1"], ["y", "1"]), []);
    expect(neighbour(rows, null, 1)).toBe("x");
    expect(neighbour(rows, "x", 1)).toBe("y");
    expect(neighbour(rows, "y", 1)).toBeNull();
    expect(neighbour(rows, null, -1)).toBe("y");
    expect(neighbour([], null, 1)).toBeNull();
  });
});

describe("test sets", () => {
  it("show what only one patch fixes or breaks", () => {
    const a = runOf("a", { verdict: verdictOf({ fixed: ["f1", "f2"], broken: ["b1"] }) });
    const b = runOf("b", { verdict: verdictOf({ fixed: ["f1"], missing: ["b2"] }) });
    const sets = compared(a, b);
    expect(sets).toMatchObject({ both: ["f1"], onlyA: ["b2", "f2"], onlyB: ["b1"], neither: [] });
    expect([...sets.wasGreen].sort()).toEqual(["b1", "b2"]);
  });

  it("apply each contestant's tests to the other", () => {
    const a = runOf("a", { verdict: verdictOf({ evidence: { own_tests: ["t"] } }) });
    const b = runOf("b", { verdict: verdictOf({ evidence: { cross_failed: ["a::t", "c::u"] } }) });
    expect(compared(a, b)).toMatchObject({ onlyA: ["a::t"], both: [], untriedByB: [] });
  });

  it("list tests that were not run on the other patch", () => {
    const a = runOf("a", { verdict: verdictOf({ evidence: { own_tests: ["t"] }, fixed: ["f"] }) });
    const b = runOf("b", { verdict: verdictOf({ evidence: { executed: 0 } }) });
    expect(compared(a, b)).toMatchObject({ untriedByB: ["a::t", "f"], onlyA: [] });
    expect(compared(runOf("a", { verdict: null }), b)).toMatchObject({ both: [], onlyB: [] });
  });

  it("leave out flaky tests", () => {
    const a = runOf("a", { verdict: verdictOf({ fixed: ["f"], flaky: ["f"] }) });
    expect(compared(a, runOf("b"))).toMatchObject({ both: [], onlyA: [], neither: [] });
  });
});

describe("scorecards", () => {
  const decided = (rows: ReturnType<typeof scoreRows>) =>
    rows.filter((row) => row.decides).map((row) => [row.name, row.rule, row.ahead]);

  it("mark the first rule that differs", () => {
    const a = runOf("a", { lines_changed: 9, latency_ms: 1 });
    expect(decided(scoreRows(a, runOf("b"), "simple"))).toEqual([["lines changed", 3, "B"]]);
    const failed = runOf("b", { verdict: verdictOf({ status: "failed" }), files_changed: 0 });
    expect(decided(scoreRows(a, failed, "simple"))).toEqual([["verdict", 1, "A"]]);
  });

  it("apply the rules in the reducer's order", () => {
    const late = runOf("a", { submitted_at: 50, files_changed: 0 });
    expect(decided(scoreRows(late, runOf("b"), "first"))).toEqual([["submitted at", 2, "B"]]);
    expect(decided(scoreRows(late, runOf("b", { submitted_at: null }), "first"))).toEqual([
      ["submitted at", 2, "A"],
    ]);
  });

  it("mark no rule when all are equal or a run has no verdict", () => {
    expect(decided(scoreRows(runOf("a"), runOf("b"), "simple"))).toEqual([]);
    const unjudged = runOf("b", { verdict: null, files_changed: 0 });
    expect(decided(scoreRows(runOf("a"), unjudged, "simple"))).toEqual([]);
  });
});

describe("the scores of the evidence reducer", () => {
  it("decides by the first rule that differs: proof, then about the issue, then support", () => {
    const parts = { rules: 1, proof: "behaviour" as const, tied: true };
    const a = runOf("a", { verdict: verdictOf({ ...parts, evidence: { size: 9, support: 2 } }) });
    const command = runOf("b", { verdict: verdictOf({ ...parts, proof: "command" }) });
    const untied = runOf("b", { verdict: verdictOf({ ...parts, tied: false }) });
    const alone = runOf("b", { verdict: verdictOf({ ...parts, evidence: { support: 1 } }) });
    const small = runOf("b", {
      verdict: verdictOf({ ...parts, evidence: { size: 3, support: 2 } }),
    });
    const decider = (b: typeof a) => scoreRows(a, b, "evidence").find((row) => row.decides);
    expect(decider(command)).toMatchObject({ name: "proof", rule: 2, ahead: "A", b: "command" });
    expect(decider(untied)).toMatchObject({ name: "about this issue", b: "not visibly" });
    expect(decider(alone)).toMatchObject({ name: "independent answers behind it", ahead: "A" });
    expect(decider(small)).toMatchObject({ name: "lines of code", a: "9", b: "3", ahead: "B" });
  });

  it("tells how many gave the same answer", () => {
    const a = runOf("a", { verdict: verdictOf({ agreement: 3 }) });
    const row = scoreRows(a, runOf("b"), "simple").find(({ name }) => name === "same answer");
    expect(row).toMatchObject({ a: "3 contestants", b: "–", rule: null });
  });
});
