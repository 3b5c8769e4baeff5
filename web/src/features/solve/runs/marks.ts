import type { LaneView } from "@/api/types";
import { type Axis, percent, SCALES } from "@/features/solve/runs/axis";
import { count } from "@/lib/format";

export type Sign = "edit" | "passed" | "failed" | "ran" | "submit" | "error";

export interface Look {
  sign: string;
  word: string;
  colour: string;
}

/** Each mark has its own shape, so that colour is not needed to recognise it. */
export const SIGNS: Record<Sign, Look> = {
  edit: { sign: "▲", word: "first edit", colour: "text-accent-text" },
  passed: { sign: "◆", word: "tests passed", colour: "text-good" },
  failed: { sign: "◇", word: "tests failed", colour: "text-bad" },
  ran: { sign: "◈", word: "tests ran", colour: "text-soft" },
  submit: { sign: "■", word: "submitted", colour: "text-text" },
  error: { sign: "✗", word: "error", colour: "text-bad" },
};

export interface Placed {
  sign: Sign;
  /** Percent of the axis. */
  at: number;
  value: number;
  /** Number of merged marks. */
  times: number;
}

const SAME_SPOT = 1.8;
const NEAR = 8;

/** The marks of a lane from left to right. Overlapping marks of the same kind are merged. */
export function placed(lane: LaneView, axis: Axis, end: number): Placed[] {
  const scale = SCALES[axis];
  const all = [
    ...lane.marks.map((mark) => markAt(signOf(mark.kind, mark.ok), scale.marked(lane, mark), end)),
    ...endings(lane, axis, end),
  ].sort((a, b) => a.value - b.value);
  return all.reduce<Placed[]>(joined, []);
}

function markAt(sign: Sign, value: number, end: number): Placed {
  return { sign, value, at: percent(value, end), times: 1 };
}

function joined(before: Placed[], mark: Placed): Placed[] {
  const near = before.findLast((other) => other.sign === mark.sign);
  if (near && mark.at - near.at < SAME_SPOT) near.times += mark.times;
  else before.push(mark);
  return before;
}

function signOf(kind: "edit" | "test", ok: boolean | null): Sign {
  if (kind === "edit") return "edit";
  if (ok === null) return "ran";
  return ok ? "passed" : "failed";
}

/** The submit and error marks. On the cost and steps axes, a run submits at the end of its bar. */
function endings(lane: LaneView, axis: Axis, end: number): Placed[] {
  const scale = SCALES[axis];
  const marks: Placed[] = [];
  if (lane.submitted_at !== null) {
    const value = axis === "time" ? lane.submitted_at - (lane.started_at ?? 0) : reached(lane);
    marks.push(markAt("submit", value, end));
  }
  if (lane.state === "failed") marks.push(markAt("error", reached(lane), end));
  return marks;

  function reached(of: LaneView): number {
    return scale.reached(of, of.finished_at ?? 0);
  }
}

const WIDTH_REM = 0.65;

/** CSS positions of the marks: on their spot, or beside up to two marks before them. */
export function spots(marks: readonly Placed[]): string[] {
  const onSpot = (place: number, by: number) => {
    const [mark, before] = [marks[place], marks[place - by]];
    return mark && before && mark.at - before.at < NEAR ? before.at : null;
  };
  return marks.map((mark, place) => {
    const beside = [1, 2].flatMap((by) => {
      const at = onSpot(place, by);
      return at === null ? [] : [`${at}% + ${by * WIDTH_REM}rem`];
    });
    return beside.length ? `max(${[`${mark.at}%`, ...beside].join(", ")})` : `${mark.at}%`;
  });
}

/** Describes the marks for screen readers. */
export function describeMarks(lane: LaneView, marks: readonly Placed[], axis: Axis): string {
  const words = marks.map((mark) => {
    const times = mark.times > 1 ? ` (${count(mark.times, "time")})` : "";
    return `${SIGNS[mark.sign].word} at ${SCALES[axis].shown(mark.value)}${times}`;
  });
  if (lane.started_at === null) return "not started";
  return words.length ? words.join(", ") : "no marks yet";
}
