import type { LaneView, RunState } from "@/api/types";
import { worked } from "@/features/solve/runs/axis";

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

/** What a run that has not begun took is not "least": it comes last. */
const KEYS: Record<Sort, (lane: LaneView) => number> = {
  rank: (lane) => lane.rank ?? NEVER,
  position: () => 0,
  cost: (lane) => (lane.started_at === null ? NEVER : lane.cost_usd),
  // Of runs under way only those that were sent again are known to the second: coarse keeps them still.
  time: (lane) => (lane.finished_at === null ? NEVER : worked(lane, 0)),
  steps: (lane) => (lane.started_at === null ? NEVER : lane.steps),
};

/** The line-up's own order settles what is equal: before the ranking, everything. */
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
export const MAX_OPEN = 4;

/** `open=run,run.test` in the URL: which runs are open, and what of each is looked at. */
export function parseOpen(text: string | null): Opened[] {
  const found = new Map<string, Opened>();
  for (const entry of (text ?? "").split(",")) {
    const [runId = "", part = ""] = entry.split(".");
    if (/^[\w-]{1,64}$/.test(runId)) {
      const known = PARTS.find((name) => name === part) ?? "trajectory";
      found.set(runId, { runId, part: known });
    }
  }
  return [...found.values()].slice(0, MAX_OPEN);
}

export function writeOpen(open: readonly Opened[]): string {
  return open
    .map(({ runId, part }) => (part === "trajectory" ? runId : `${runId}.${part}`))
    .join(",");
}

/** A fifth takes the place of the one that was opened first. */
export function toggled(open: readonly Opened[], runId: string): Opened[] {
  if (open.some((one) => one.runId === runId)) return open.filter((one) => one.runId !== runId);
  return [...open, { runId, part: "trajectory" as const }].slice(-MAX_OPEN);
}

export function withPart(open: readonly Opened[], runId: string, part: Part): Opened[] {
  const isOpen = open.some((one) => one.runId === runId);
  const all = isOpen ? open : toggled(open, runId);
  return all.map((one) => (one.runId === runId ? { runId, part } : one));
}

/** Two at most; a third takes the place of the first. */
export function picked(before: readonly string[], runId: string): string[] {
  if (before.includes(runId)) return before.filter((id) => id !== runId);
  return [...before, runId].slice(-2);
}

/** How many characters at the end all handles have in common, in whole parts: `-t0.2-test-first`. */
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
