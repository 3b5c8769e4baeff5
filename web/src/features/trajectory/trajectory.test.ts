import { describe, expect, it } from "vitest";
import { excerpt, guessPx, LINES } from "@/features/trajectory/excerpt";
import { counted, filtered, toFilter } from "@/features/trajectory/kinds";
import { editAt, placeOf, rowsOf, testsAt } from "@/features/trajectory/rows";
import { findMessages, step } from "@/features/trajectory/search";
import { joined, replaced } from "@/live/store";
import { message, turn } from "@/testing/message";

const STEPS = [
  message(0, { step: 0, role: "system", kind: "prompt" }),
  turn(1, 1, "ls", "pytest -q"),
  message(2, { step: 1, exit_code: 0, text: "a.py" }),
  message(3, { step: 1, exit_code: 1, is_test: true, text: "\u001b[31m1 FAILED\u001b[0m" }),
  turn(4, 2),
  turn(5, 3, "sed -i s/a/b/ a.py"),
  message(6, { step: 3, exit_code: 0, edit: 1 }),
  message(7, { step: 3, role: "exit", kind: "exit", text: "" }),
];
const seqs = (messages: readonly { seq: number }[]) => messages.map(({ seq }) => seq);

describe("filters", () => {
  it.each([
    ["all", [0, 1, 2, 3, 4, 5, 6, 7]],
    ["thought", [1, 4, 5]],
    ["command", [1, 5]],
    ["output", [2, 3, 6]],
    ["edit", [5, 6]],
    ["test", [1, 3]],
    ["error", [1, 3]],
  ] as const)("%s", (filter, expected) => expect(seqs(filtered(STEPS, filter))).toEqual(expected));

  it("count matches without their turns", () => {
    expect(counted(STEPS)).toMatchObject({ all: 8, edit: 1, test: 1, error: 1 });
  });

  it("default to all for an unknown name", () => {
    expect(toFilter("nonsense")).toBe("all");
  });
});

describe("rows", () => {
  const rows = rowsOf(STEPS, STEPS);

  it("frame the messages of a step together", () => {
    expect(rows.map(({ isFirst, isLast }) => `${Number(isFirst)}${Number(isLast)}`)).toEqual([
      "11",
      "10",
      "00",
      "01",
      "11",
      "10",
      "00",
      "01",
    ]);
  });

  it("name the command of an output", () => {
    expect(rows.map(({ about }) => about)).toEqual(["", "", "ls", "pytest -q", "", "", "", ""]);
  });

  it("are found by number or by where it would be", () => {
    expect([0, 3, 7, 99].map((seq) => placeOf(rows, seq))).toEqual([0, 3, 7, 8]);
    expect(placeOf(rowsOf(STEPS, filtered(STEPS, "output")), 4)).toBe(2);
  });
});

describe("at a message", () => {
  it("shows the latest tests before it", () => {
    expect(testsAt(STEPS, 7)).toMatchObject({ seq: 3, command: "pytest -q", exitCode: 1 });
    expect(testsAt(STEPS, 2)).toBeNull();
  });

  it("shows the diff of the latest edit", () => {
    expect([editAt(STEPS, 7), editAt(STEPS, 5)]).toEqual([6, 5]);
  });
});

describe("cut", () => {
  const lines = (n: number) => Array.from({ length: n }, (_, at) => `line ${at}`).join("\n");

  it("leaves short texts alone", () => {
    expect(excerpt(message(0, { text: lines(LINES) }))).toMatchObject({
      text: lines(LINES),
      rest: 0,
    });
  });

  it("counts the hidden lines", () => {
    const { text, rest } = excerpt(message(0, { text: `${lines(36)}\n` }));
    expect([text.split("\n").length, rest]).toEqual([12, 24]);
  });

  it("shows the end of test output, which has the result", () => {
    const { text, rest } = excerpt(message(0, { text: lines(36), is_test: true }));
    expect([text.split("\n")[0], rest]).toEqual(["line 24", 24]);
    expect(excerpt(message(0, { text: lines(12), is_test: true })).rest).toBe(0);
  });

  it("cuts a single very long line", () => {
    const { text, rest } = excerpt(message(0, { text: "x".repeat(100_000) }));
    expect([text.length < 3000, rest]).toEqual([true, 1]);
  });

  it("limits all commands together", () => {
    const { commands, rest } = excerpt(turn(0, 1, lines(10), lines(10), lines(10)));
    expect([commands.map((one) => one.split("\n").length), rest]).toEqual([[10, 2], 18]);
  });

  it("estimates a height that grows with the text", () => {
    const [low, high] = [message(0, { text: "a" }), message(1, { text: lines(40) })].map(guessPx);
    expect(low).toBeLessThan(high ?? 0);
  });
});

describe("search", () => {
  const rows = rowsOf(STEPS, STEPS);

  it("searches texts and commands, not colours", () => {
    expect(findMessages(rows, "1 failed")).toEqual([3]);
    expect(findMessages(rows, "PYTEST")).toEqual([1]);
    expect(findMessages(rows, " ")).toEqual([]);
  });

  it("wraps around", () => {
    const hits = [3, 9, 20];
    expect([step(hits, null, 1), step(hits, 9, 1), step(hits, 20, 1)]).toEqual([3, 20, 3]);
    expect([step(hits, null, -1), step(hits, 3, -1), step(hits, 10, -1)]).toEqual([20, 20, 9]);
    expect(step([], 3, 1)).toBeUndefined();
  });
});

describe("parts of a trajectory", () => {
  const range = (from: number, upto: number) =>
    Array.from({ length: upto - from }, (_, at) => message(from + at));

  it("join when they overlap or meet, and not across a gap", () => {
    expect(seqs(joined(range(0, 3), range(2, 5)))).toEqual([0, 1, 2, 3, 4]);
    expect(seqs(joined(range(0, 3), range(3, 5)))).toEqual([0, 1, 2, 3, 4]);
    expect(seqs(joined(range(0, 3), range(9, 11)))).toEqual([9, 10]);
    expect(seqs(joined([], range(1, 2)))).toEqual([1]);
  });

  it("take facts of a message that are known only later", () => {
    const last = [message(3, { edit: 2 }), message(4)];
    const all = replaced(range(0, 4), last);
    expect([seqs(all), all[3]?.edit]).toEqual([[0, 1, 2, 3, 4], 2]);
  });
});
