import type { LaneView, MarkView } from "@/api/types";
import { duration, money } from "@/lib/format";

/** The axis of the lanes. Each run starts at 0, so that runs can be compared. */
export type Axis = "time" | "cost" | "steps";

interface Scale {
  id: Axis;
  name: string;
  key: string;
  /** Progress of a run; `now` in seconds by the server's clock. */
  reached: (lane: LaneView, now: number) => number;
  marked: (lane: LaneView, mark: MarkView) => number;
  shown: (value: number) => string;
  /** Rounds the end of the axis up, so that it grows in few steps. */
  round: (value: number) => number;
}

const TENS = [1, 2, 4, 5, 10];
const CLOCK = [10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1200, 1800, 2700, 3600];

export const SCALES: Record<Axis, Scale> = {
  time: {
    id: "time",
    name: "time",
    key: "t",
    reached: (lane, now) => lasted(lane, now),
    marked: (lane, mark) => (lane.started_at === null ? 0 : mark.at - lane.started_at),
    shown: duration,
    round: roundTime,
  },
  cost: {
    id: "cost",
    name: "cost",
    key: "c",
    reached: (lane) => lane.cost_usd,
    marked: (_lane, mark) => mark.cost_usd,
    shown: money,
    round: roundNumber,
  },
  steps: {
    id: "steps",
    name: "steps",
    key: "s",
    reached: (lane) => lane.steps,
    marked: (_lane, mark) => mark.step,
    shown: (value) => String(Math.round(value * 10) / 10),
    round: roundNumber,
  },
};

export const AXES = Object.values(SCALES);

export function axisOf(text: string | null): Axis {
  return AXES.find((scale) => scale.id === text)?.id ?? "time";
}

/** Seconds that a run has taken so far. */
export function lasted(lane: LaneView, now: number): number {
  if (lane.started_at === null) return 0;
  return Math.max(0, (lane.finished_at ?? now) - lane.started_at);
}

/** Seconds until the agent submitted, without verification. */
export function worked(lane: LaneView, now: number): number {
  if (lane.started_at === null) return 0;
  return Math.max(0, (lane.submitted_at ?? lane.finished_at ?? now) - lane.started_at);
}

/** The end of the axis: the next round number after the longest run. */
export function axisEnd(lanes: readonly LaneView[], axis: Axis, now: number): number {
  const scale = SCALES[axis];
  const farthest = Math.max(0, ...lanes.map((lane) => scale.reached(lane, now)));
  const end = scale.round(farthest);
  const limit = axis === "steps" ? Math.max(0, ...lanes.map((lane) => lane.step_limit)) : 0;
  return limit ? Math.min(end, Math.max(limit, farthest)) : end;
}

/** Rounds up to 1, 2, 4, 5 or 10 times a power of ten; 1 if there is no value. */
export function roundNumber(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = TENS.find((factor) => factor * power >= value * 0.999999) ?? 10;
  return step * power;
}

export function roundTime(seconds: number): number {
  return CLOCK.find((end) => end >= seconds) ?? Math.ceil(seconds / 3600) * 3600;
}

/** Percent of the axis, limited to 0 to 100. */
export function percent(value: number, end: number): number {
  return end > 0 ? Math.min(100, Math.max(0, (value / end) * 100)) : 0;
}

export function ticks(end: number, axis: Axis): { at: number; text: string }[] {
  return [0, 25, 50, 75, 100].map((at) => ({ at, text: SCALES[axis].shown((end * at) / 100) }));
}
