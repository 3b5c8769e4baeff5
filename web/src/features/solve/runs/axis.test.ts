import { expect, test } from "vitest";
import { aLane, T0 } from "@/testing/solveBuilders";
import { axisEnd, axisOf, lasted, percent, roundNumber, roundTime, worked } from "./axis";

test.each([
  [0, 1],
  [0.003, 0.004],
  [0.3, 0.4],
  [0.41, 0.5],
  [3, 4],
  [6, 10],
  [10, 10],
  [11, 20],
])("rounds %d up to %d", (value, end) => {
  expect(roundNumber(value)).toBeCloseTo(end, 9);
});

test("rounds times up to clock values", () => {
  expect([0, 9, 11, 46, 61, 3601, 8000].map(roundTime)).toEqual([10, 10, 20, 60, 90, 7200, 10_800]);
});

test("ends the axis after the longest run, and steps at their limit", () => {
  const lanes = [aLane({ steps: 4 }), aLane({ id: "b", steps: 17, cost_usd: 0.3 })];
  expect(axisEnd(lanes, "steps", 0)).toBe(20);
  expect(axisEnd([aLane({ steps: 12, step_limit: 12 })], "steps", 0)).toBe(12);
  expect(axisEnd(lanes, "cost", 0)).toBeCloseTo(0.4);
  expect(axisEnd(lanes, "time", T0 + 70)).toBe(90);
  expect(axisEnd([], "time", T0)).toBe(10);
});

test("measures a run until it ends and its agent until it submits", () => {
  const lane = aLane({ submitted_at: T0 + 20, finished_at: T0 + 30 });
  expect(lasted(lane, T0 + 99)).toBe(30);
  expect(worked(lane, T0 + 99)).toBe(20);
  expect(worked(aLane(), T0 + 7)).toBe(7);
  // The browser's clock may be slightly behind the server's.
  expect(lasted(aLane(), T0 - 1)).toBe(0);
  expect(lasted(aLane({ started_at: null }), T0)).toBe(0);
});

test("draws values beyond the axis at its end", () => {
  expect([percent(5, 10), percent(11, 10), percent(-1, 10), percent(1, 0)]).toEqual([
    50, 100, 0, 0,
  ]);
});

test("falls back to time for an unknown axis", () => {
  expect(["cost", "steps", "x", "toString", null].map(axisOf)).toEqual([
    "cost",
    "steps",
    "time",
    "time",
    "time",
  ]);
});
