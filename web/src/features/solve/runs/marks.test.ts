import { expect, test } from "vitest";
import type { MarkView } from "@/api/types";
import { aLane, T0 } from "@/testing/solveBuilders";
import { describeMarks, placed, spots } from "./marks";

function mark(kind: "edit" | "test", s: number, ok: boolean | null = null): MarkView {
  return { kind, at: T0 + s, step: s, cost_usd: s / 100, ok };
}

const lane = aLane({
  marks: [mark("test", 50, false), mark("edit", 10), mark("test", 80, true)],
  steps: 90,
  cost_usd: 0.9,
  submitted_at: T0 + 85,
  finished_at: T0 + 95,
});

test("places marks on each axis", () => {
  const at = (axis: "time" | "cost" | "steps", end: number) =>
    placed(lane, axis, end).map(({ sign, at }) => `${sign} ${Math.round(at)}`);
  expect(at("time", 100)).toEqual(["edit 10", "failed 50", "passed 80", "submit 85"]);
  // On the cost and steps axes, a run submits at the end of its bar.
  expect(at("steps", 100)).toEqual(["edit 10", "failed 50", "passed 80", "submit 90"]);
  expect(at("cost", 1)).toEqual(["edit 10", "failed 50", "passed 80", "submit 90"]);
});

test("ends a failed run with an error mark", () => {
  const failed = aLane({ state: "failed", finished_at: T0 + 40 });
  expect(placed(failed, "time", 100).map(({ sign, at }) => [sign, at])).toEqual([["error", 40]]);
});

test("merges marks of the same kind on one spot and counts them", () => {
  const busy = aLane({ marks: [50, 50.2, 50.4, 60].map((s) => mark("test", s, true)) });
  expect(placed(busy, "time", 100).map(({ times }) => times)).toEqual([3, 1]);
});

test("draws overlapping marks side by side", () => {
  const close = aLane({
    marks: [mark("edit", 50), mark("test", 51, true), mark("test", 90, true)],
  });
  expect(spots(placed(close, "time", 100))).toEqual(["50%", "max(51%, 50% + 0.65rem)", "90%"]);
});

test("describes the marks in words", () => {
  expect(describeMarks(lane, placed(lane, "time", 100), "time")).toBe(
    "first edit at 0:10, tests failed at 0:50, tests passed at 1:20, submitted at 1:25",
  );
  expect(describeMarks(aLane({ started_at: null }), [], "time")).toBe("not started");
});
