import { expect, test } from "vitest";
import { pairOf } from "@/features/solve/useSolveKeys";
import { anEvent, aPlace, aSolve, someFacts, T0 } from "@/testing/solveBuilders";
import { branchFor, compareUrl, decidedBy, endingOf, sansVerdict, takenFrom } from "./decision";

test("maps state and champion to an ending", () => {
  const ending = (
    state: "queued" | "completed" | "failed" | "awaiting_review",
    champion?: string,
  ) => endingOf(aSolve({ state, champion: champion ?? null }));
  expect([
    ending("queued"),
    ending("completed"),
    ending("completed", "a"),
    ending("awaiting_review", "a"),
    ending("awaiting_review"),
    ending("failed"),
  ]).toEqual(["open", "none", "champion", "champion", "asked", "failed"]);
});

test("takes the deciding rule from the second place, unless a person chose", () => {
  const ranking = [aPlace(), aPlace({ rank: 2, run_id: "run-b", why: "22 lines instead of 5" })];
  expect(decidedBy(ranking, "run-a")?.why).toBe("22 lines instead of 5");
  expect(decidedBy(ranking, "run-b")).toBeNull();
  expect(decidedBy([aPlace()], "run-a")).toBeNull();
});

test("reads a person's decision from the events", () => {
  const settled = (data: Record<string, unknown>) =>
    takenFrom([{ ...anEvent(9, "solve.settled", T0), data }])?.words;
  expect(takenFrom([anEvent(1, "solve.opened", T0)])).toBeNull();
  expect(settled({ applied: "/home/ada/x" })).toBe("Applied to /home/ada/x");
  expect(settled({ branch: "fix", commit: "0123456789ab" })).toBe(
    "Committed on branch fix (01234567)",
  );
  expect(settled({ dismissed: "too large" })).toBe("Dismissed: too large");
});

test("removes only the verdict that the badge beside it shows", () => {
  expect(sansVerdict("failed: breaks t", "failed")).toBe("breaks t");
  expect(sansVerdict("passed: t goes green; 1 file", "passed")).toBe("t goes green; 1 file");
  expect(sansVerdict("failed: is what it prints", "passed")).toBe("failed: is what it prints");
  expect(sansVerdict("out of steps", null)).toBe("out of steps");
});

test("names a branch after the issue", () => {
  expect(branchFor(someFacts())).toBe("yudai/12-two-equal-purchases");
  const nameless = someFacts({ issue_number: null, issue_title: "¿¿" });
  expect(branchFor(nameless)).toBe("yudai/solve-1");
});

test("compares the two picked runs, else the champion and the next run", () => {
  const lanes = ["a", "b", "c"].map((id) => ({ id }) as never);
  expect(pairOf({ picks: ["c", "b"], champion: "a", lanes })).toEqual(["c", "b"]);
  expect(pairOf({ picks: ["c"], champion: "a", lanes })).toEqual(["a", "c"]);
  expect(pairOf({ picks: [], champion: "b", lanes })).toEqual(["b", "a"]);
  expect(pairOf({ picks: [], champion: null, lanes: lanes.slice(0, 1) })).toBeNull();
  expect(compareUrl("s", "a&b", "c")).toBe("/solves/s/compare?a=a%26b&b=c");
});
