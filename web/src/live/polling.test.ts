import { expect, test } from "vitest";
import { ProblemError } from "@/api/problem";
import { openRuns, recordResult, retryMs, waitMs, watchRuns } from "./polling";

test("requests the runs of all watchers once, until the last watcher stops", () => {
  const first = watchRuns("s1", ["a", "b"]);
  const second = watchRuns("s1", ["b", "c"]);
  expect(openRuns("s1")).toBe("a,b,c");
  first();
  expect(openRuns("s1")).toBe("b,c");
  second();
  expect(openRuns("s1")).toBe("");
});

test("requests no more runs than the server accepts", () => {
  const stop = watchRuns("s2", ["a", "b", "c", "d", "e"]);
  expect(openRuns("s2")).toBe("a,b,c,d");
  stop();
});

test("doubles the wait up to half a minute", () => {
  expect([1, 2, 3, 4, 5, 9].map((failures) => waitMs(failures, 0.5))).toEqual([
    2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test("keeps the wait until the next failure, and resets it after a success", () => {
  recordResult("s3", false);
  const wait = retryMs("s3", null);
  expect(retryMs("s3", null)).toBe(wait);
  expect(wait).toBeGreaterThanOrEqual(1700);
  recordResult("s3", false);
  expect(retryMs("s3", null)).toBeGreaterThan(2 * 1700);
  recordResult("s3", true);
  recordResult("s3", false);
  expect(retryMs("s3", null)).toBeLessThanOrEqual(2300);
});

test("waits as long as the server's Retry-After says", () => {
  expect(waitMs(3, 0.5, new ProblemError({ detail: "busy" }, 503, 7))).toBe(7000);
});
