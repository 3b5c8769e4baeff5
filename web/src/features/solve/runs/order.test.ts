import { expect, test } from "vitest";
import { aLane, T0 } from "@/testing/solveBuilders";
import {
  parseOpen,
  picked,
  sharedEnd,
  sorted,
  sortOf,
  toggled,
  withPart,
  writeOpen,
} from "./order";

const lanes = [
  aLane({ id: "a", cost_usd: 3, steps: 9, finished_at: T0 + 9 }),
  aLane({ id: "b", cost_usd: 1, steps: 5 }),
  aLane({ id: "c", cost_usd: 0, steps: 0, started_at: null }),
];
const places = new Map([
  ["c", 0],
  ["b", 1],
  ["a", 2],
]);
const ids = (sort: Parameters<typeof sorted>[2], all = lanes) =>
  sorted(all, places, sort)
    .map(({ id }) => id)
    .join("");

test("before there is a ranking the line-up's order holds", () => {
  expect(ids("rank")).toBe("cba");
  expect(ids("position")).toBe("cba");
});

test("the ranking goes before it, and who has none comes last", () => {
  const ranked = lanes.map((lane) => ({ ...lane, rank: { a: 1, c: 2 }[lane.id] ?? null }));
  expect(ids("rank", ranked)).toBe("acb");
});

test("by cost, steps and time; a run that has not begun is not the cheapest", () => {
  expect([ids("cost"), ids("steps"), ids("time")]).toEqual(["bac", "bac", "acb"]);
});

test("an order that there is not is the ranking's", () => {
  expect([sortOf("cost"), sortOf("x"), sortOf(null)]).toEqual(["cost", "rank", "rank"]);
});

test("what is open is read from the URL and written as it was", () => {
  const text = "run-1,run-2.test";
  expect(parseOpen(text)).toEqual([
    { runId: "run-1", part: "trajectory" },
    { runId: "run-2", part: "test" },
  ]);
  expect(writeOpen(parseOpen(text))).toBe(text);
});

test("nonsense in the URL opens nothing, and never more than four", () => {
  expect(parseOpen(null)).toEqual([]);
  expect(parseOpen(",,<b>,a/../b")).toEqual([]);
  expect(parseOpen("a.nonsense")).toEqual([{ runId: "a", part: "trajectory" }]);
  expect(parseOpen("a,a,b,c,d,e")).toHaveLength(4);
});

test("a fifth takes the place of the first; once more closes it", () => {
  const four = parseOpen("a,b,c,d");
  expect(writeOpen(toggled(four, "e"))).toBe("b,c,d,e");
  expect(writeOpen(toggled(four, "b"))).toBe("a,c,d");
});

test("a part of a run is shown where the run is, or opens it", () => {
  expect(writeOpen(withPart(parseOpen("a,b"), "a", "agent"))).toBe("a.agent,b");
  expect(writeOpen(withPart(parseOpen("a"), "b", "setup"))).toBe("a,b.setup");
});

test("two are picked to be compared", () => {
  expect(picked(["a"], "b")).toEqual(["a", "b"]);
  expect(picked(["a", "b"], "c")).toEqual(["b", "c"]);
  expect(picked(["a", "b"], "a")).toEqual(["b"]);
});

test("what all handles end with is told apart from what they are told apart by", () => {
  const end = "-t0.2-test-first";
  expect(sharedEnd([`opus${end}`, `gpt-4${end}`])).toBe(end.length);
  expect(sharedEnd(["opus-a", "gpt-b"])).toBe(0);
  expect(sharedEnd(["opus-a"])).toBe(0);
});
