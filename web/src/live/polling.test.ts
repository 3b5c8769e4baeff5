import { expect, test } from "vitest";
import { ProblemError } from "@/api/problem";
import { opened, retryMs, tell, waitMs, want } from "./polling";

test("what several watchers want is asked for once, and no longer when nobody does", () => {
  const first = want("s1", ["a", "b"]);
  const second = want("s1", ["b", "c"]);
  expect(opened("s1")).toBe("a,b,c");
  first();
  expect(opened("s1")).toBe("b,c");
  second();
  expect(opened("s1")).toBe("");
});

test("never more than the server takes", () => {
  const takeBack = want("s2", ["a", "b", "c", "d", "e"]);
  expect(opened("s2")).toBe("a,b,c,d");
  takeBack();
});

test("the wait doubles up to half a minute", () => {
  expect([1, 2, 3, 4, 5, 9].map((failures) => waitMs(failures, 0.5))).toEqual([
    2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test("a wait stays the same until the next failure, and ends with a good answer", () => {
  tell("s3", false);
  const wait = retryMs("s3", null);
  expect(retryMs("s3", null)).toBe(wait);
  expect(wait).toBeGreaterThanOrEqual(1700);
  tell("s3", false);
  expect(retryMs("s3", null)).toBeGreaterThan(2 * 1700);
  tell("s3", true);
  tell("s3", false);
  expect(retryMs("s3", null)).toBeLessThanOrEqual(2300);
});

test("the server says itself when to come again", () => {
  expect(waitMs(3, 0.5, new ProblemError({ detail: "busy" }, 503, 7))).toBe(7000);
});
