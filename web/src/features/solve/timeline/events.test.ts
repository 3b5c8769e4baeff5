import { expect, test } from "vitest";
import { anEvent, aSolve, T0 } from "@/testing/solveBuilders";
import { eventFacts, eventWords, stages } from "./events";

const opened = anEvent(1, "solve.opened", T0);
const started = anEvent(2, "solve.started", T0 + 3, "running");
const offered = anEvent(3, "solve.offered", T0 + 60, "awaiting_review");
const settled = anEvent(4, "solve.settled", T0 + 90, "completed");

function brief(solve: ReturnType<typeof aSolve>, events: ReturnType<typeof anEvent>[]) {
  return stages(solve, events).map(({ state, at, lasted, phase }) => [
    state,
    at === null ? null : at - T0,
    lasted,
    phase,
  ]);
}

test("gives each stage its time, duration and phase", () => {
  const solve = aSolve({ state: "running", created_at: T0, started_at: T0 + 3 });
  expect(brief(solve, [opened, started])).toEqual([
    ["queued", 0, 3, "past"],
    ["running", 3, null, "now"],
    ["awaiting_review", null, null, "ahead"],
    ["completed", null, null, "ahead"],
  ]);
  const done = { ...solve, state: "completed" as const, finished_at: T0 + 60 };
  expect(brief(done, [opened, started, offered, settled])).toEqual([
    ["queued", 0, 3, "past"],
    ["running", 3, 57, "past"],
    ["awaiting_review", 60, 30, "past"],
    ["completed", 90, null, "now"],
  ]);
});

test("skips the review of a solve without a champion", () => {
  const solve = aSolve({ state: "completed", created_at: T0, started_at: T0 + 3 });
  const abstained = anEvent(3, "solve.abstained", T0 + 60, "completed");
  expect(brief(solve, [opened, started, abstained])).toEqual([
    ["queued", 0, 3, "past"],
    ["running", 3, 57, "past"],
    ["awaiting_review", null, null, "skipped"],
    ["completed", 60, null, "now"],
  ]);
});

test("shows an answered solve as running since its start", () => {
  const asked = anEvent(3, "solve.asked", T0 + 60, "awaiting_review");
  const answered = anEvent(4, "solve.answered", T0 + 900, "running");
  const later = anEvent(5, "solve.offered", T0 + 901, "awaiting_review");
  const solve = aSolve({ state: "running", created_at: T0, started_at: T0 + 3 });
  expect(brief(solve, [opened, started, asked, answered])).toEqual([
    ["queued", 0, 3, "past"],
    ["running", 3, null, "now"],
    ["awaiting_review", null, null, "ahead"],
    ["completed", null, null, "ahead"],
  ]);
  const waiting = aSolve({ ...solve, state: "awaiting_review" });
  expect(brief(waiting, [opened, started, asked, answered, later])[2]).toEqual([
    "awaiting_review",
    901,
    null,
    "now",
  ]);
});

test("says what was asked and answered", () => {
  const asked = { ...anEvent(1, "solve.asked", T0), data: { question: "4?", questions: 1 } };
  expect(eventFacts(asked)).toBe("4?");
  const data = { question: "q-1", key: "k", choice: "accept", by: "wim" };
  expect(eventFacts({ ...anEvent(2, "solve.answered", T0), data })).toBe("accept, by wim");
});

test.each(["failed", "cancelled"] as const)(
  "ends with the state %s, even before the start",
  (state) => {
    const solve = aSolve({ state, created_at: T0, started_at: null, finished_at: T0 + 9 });
    expect(brief(solve, [])).toEqual([
      ["queued", 0, 9, "past"],
      ["running", null, null, "skipped"],
      ["awaiting_review", null, null, "skipped"],
      [state, 9, null, "now"],
    ]);
  },
);

test("uses the solve's own times before the events arrive", () => {
  const solve = aSolve({
    state: "awaiting_review",
    created_at: T0,
    started_at: T0 + 1,
    finished_at: T0 + 5,
  });
  expect(brief(solve, []).map(([, at]) => at)).toEqual([0, 1, 5, null]);
});

test("shows the kind of an event that has no text", () => {
  expect(eventWords("run.judged")).toBe("was verified");
  expect(eventWords("run.turned_round")).toBe("turned round");
});

test("shows the plain values of an event on one line", () => {
  const event = anEvent(1, "baseline.measured", T0);
  const data = { passing: 45, key: "abc", from: "a", nested: { a: 1 }, cause: "out_of_steps" };
  expect(eventFacts({ ...event, data })).toBe("passing 45, cause out_of_steps");
});

test("shows target and phase of a blocked connection", () => {
  const event = anEvent(1, "network.blocked", T0);
  const data = { host: "pypi.example", port: 443, phase: "setup" };
  expect(eventWords(event.kind)).toBe("a connection was blocked:");
  expect(eventFacts({ ...event, data })).toBe("pypi.example:443, in the setup phase");
  const ipv6 = { host: "2001:db8::1", port: 22, phase: "agent" };
  expect(eventFacts({ ...event, data: ipv6 })).toBe("[2001:db8::1]:22, in the agent phase");
  const lookup = { host: "evil.example", phase: "agent" };
  expect(eventFacts({ ...event, data: lookup })).toBe("evil.example, in the agent phase");
  expect(eventFacts({ ...event, data: {} })).toBe("?");
});

test("says what of the base could not be run", () => {
  const event = anEvent(1, "baseline.partial", T0);
  expect(eventWords(event.kind)).toBe("not all tests of the base could be run:");
  const data = { reason: "could not be loaded on the base, so nothing in it counts: a.py" };
  expect(eventFacts({ ...event, data })).toBe(data.reason);
});

test("summarises blocked connections above the limit", () => {
  const event = anEvent(1, "network.blocked_more", T0);
  expect(eventWords(event.kind)).toBe("more connections were blocked than are listed here,");
  expect(eventFacts({ ...event, data: { phase: "agent" } })).toBe("in the agent phase");
});
