import type { LaneView, RunState } from "@/api/types";
import { worked } from "@/features/solve/runs/axis";
import { MAX_OPEN } from "@/live/polling";

export type Sort = "rank" | "position" | "cost" | "time" | "steps";

export const SORTS: readonly { id: Sort; name: string }[] = [
  { id: "rank", name: "rank" },
  { id: "position", name: "line-up" },
  { id: "time", name: "time" },
  { id: "cost", name: "cost" },
  { id: "steps", name: "steps" },
];

export function sortOf(text: string | null): Sort {
  return SORTS.find((sort) => sort.id === text)?.id ?? "rank";
}

const NEVER = Number.MAX_SAFE_INTEGER;

/** Runs that have not started come last. */
const KEYS: Record<Sort, (lane: LaneView) => number> = {
  rank: (lane) => lane.rank ?? NEVER,
  position: () => 0,
  cost: (lane) => (lane.started_at === null ? NEVER : lane.cost_usd),
  // Ongoing runs have no final time: they come last and keep their place.
  time: (lane) => (lane.finished_at === null ? NEVER : worked(lane, 0)),
  steps: (lane) => (lane.started_at === null ? NEVER : lane.steps),
};

/** Sorts lanes. The line-up's order breaks ties. */
export function sorted(
  lanes: readonly LaneView[],
  places: ReadonlyMap<string, number>,
  sort: Sort,
): LaneView[] {
  const key = KEYS[sort];
  const place = (lane: LaneView) => places.get(lane.id) ?? NEVER;
  return [...lanes].sort((a, b) => key(a) - key(b) || place(a) - place(b));
}

export interface Opened {
  runId: string;
  part: Part;
}

export type Part = "trajectory" | "setup" | "baseline" | "agent" | "test";
const PARTS: readonly Part[] = ["trajectory", "setup", "baseline", "agent", "test"];

/** Parses `open=run,run.test` in the URL: the open runs and the part shown of each. */
export function parseOpen(text: string | null): Opened[] {
  const openRuns = new Map<string, Opened>();
  for (const entry of (text ?? "").split(",")) {
    const [runId = "", part = ""] = entry.split(".");
    if (/^[\w-]{1,64}$/.test(runId)) {
      const known = PARTS.find((name) => name === part) ?? "trajectory";
      openRuns.set(runId, { runId, part: known });
    }
  }
  return [...openRuns.values()].slice(0, MAX_OPEN);
}

export function writeOpen(open: readonly Opened[]): string {
  return open
    .map(({ runId, part }) => (part === "trajectory" ? runId : `${runId}.${part}`))
    .join(",");
}

/** Opens or closes a run. A fifth run replaces the one opened first. */
export function toggled(open: readonly Opened[], runId: string): Opened[] {
  if (open.some((opened) => opened.runId === runId)) {
    return open.filter((opened) => opened.runId !== runId);
  }
  return [...open, { runId, part: "trajectory" as const }].slice(-MAX_OPEN);
}

export function withPart(open: readonly Opened[], runId: string, part: Part): Opened[] {
  const isOpen = open.some((opened) => opened.runId === runId);
  const all = isOpen ? open : toggled(open, runId);
  return all.map((opened) => (opened.runId === runId ? { runId, part } : opened));
}

/** Picks at most two runs. A third replaces the first. */
export function picked(before: readonly string[], runId: string): string[] {
  if (before.includes(runId)) return before.filter((id) => id !== runId);
  return [...before, runId].slice(-2);
}

/** Length of the suffix that all handles share, in whole parts: `-t0.2-test-first`. */
export function sharedEnd(handles: readonly string[]): number {
  const [first = "", ...others] = handles;
  if (!others.length) return 0;
  for (let at = first.indexOf("-"); at > 0; at = first.indexOf("-", at + 1)) {
    const end = first.slice(at);
    if (others.every((handle) => handle.endsWith(end))) return end.length;
  }
  return 0;
}

export function isOver(state: RunState): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}
