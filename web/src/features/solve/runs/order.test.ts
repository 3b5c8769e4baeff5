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

test("keeps the line-up's order before there is a ranking", () => {
  expect(ids("rank")).toBe("cba");
  expect(ids("position")).toBe("cba");
});

test("sorts by rank, with unranked runs last", () => {
  const ranked = lanes.map((lane) => ({ ...lane, rank: { a: 1, c: 2 }[lane.id] ?? null }));
  expect(ids("rank", ranked)).toBe("acb");
});

test("sorts by cost, steps and time, with runs that have not started last", () => {
  expect([ids("cost"), ids("steps"), ids("time")]).toEqual(["bac", "bac", "acb"]);
});

test("falls back to rank for an unknown order", () => {
  expect([sortOf("cost"), sortOf("x"), sortOf(null)]).toEqual(["cost", "rank", "rank"]);
});

test("reads open runs from the URL and writes them back unchanged", () => {
  const text = "run-1,run-2.test";
  expect(parseOpen(text)).toEqual([
    { runId: "run-1", part: "trajectory" },
    { runId: "run-2", part: "test" },
  ]);
  expect(writeOpen(parseOpen(text))).toBe(text);
});

test("ignores invalid URL values and opens at most four runs", () => {
  expect(parseOpen(null)).toEqual([]);
  expect(parseOpen(",,<b>,a/../b")).toEqual([]);
  expect(parseOpen("a.nonsense")).toEqual([{ runId: "a", part: "trajectory" }]);
  expect(parseOpen("a,a,b,c,d,e")).toHaveLength(4);
});

test("replaces the first run by a fifth, and closes an open run", () => {
  const four = parseOpen("a,b,c,d");
  expect(writeOpen(toggled(four, "e"))).toBe("b,c,d,e");
  expect(writeOpen(toggled(four, "b"))).toBe("a,c,d");
});

test("shows a part in an open run, or opens the run", () => {
  expect(writeOpen(withPart(parseOpen("a,b"), "a", "agent"))).toBe("a.agent,b");
  expect(writeOpen(withPart(parseOpen("a"), "b", "setup"))).toBe("a,b.setup");
});

test("keeps the last two picked runs", () => {
  expect(picked(["a"], "b")).toEqual(["a", "b"]);
  expect(picked(["a", "b"], "c")).toEqual(["b", "c"]);
  expect(picked(["a", "b"], "a")).toEqual(["b"]);
});

test("finds the suffix that all handles share", () => {
  const end = "-t0.2-test-first";
  expect(sharedEnd([`opus${end}`, `gpt-4${end}`])).toBe(end.length);
  expect(sharedEnd(["opus-a", "gpt-b"])).toBe(0);
  expect(sharedEnd(["opus-a"])).toBe(0);
});
