import type { EventView, PublicationState, PublicationView } from "@/api/types";

export interface Step {
  state: PublicationState;
  name: string;
  /** Seconds since the epoch; null if not reached or not recorded. */
  at: number | null;
  phase: "past" | "now" | "ahead" | "failed";
}

const NAMES: Record<PublicationState, string> = {
  requested: "Requested",
  committed: "Committed",
  pushed: "Pushed",
  opened: "Opened",
  done: "Done",
  refused: "Refused",
  stale: "Stale",
};

const PATCH_STEPS: readonly PublicationState[] = [
  "requested",
  "committed",
  "pushed",
  "opened",
  "done",
];
/** Steps of a publication without a patch. */
const COMMENT_STEPS: readonly PublicationState[] = ["requested", "done"];
const REACHED: Record<string, PublicationState> = {
  "publication.requested": "requested",
  "publication.committed": "committed",
  "publication.pushed": "pushed",
  "publication.opened": "opened",
  "publication.commented": "done",
  "publication.done": "done",
  "publication.refused": "refused",
  "publication.stale": "stale",
};

/** Steps of the newest request. A failed step replaces the steps that were not reached. */
export function steps(publication: PublicationView, events: readonly EventView[]): Step[] {
  const times = timesOf(publication, events);
  const path = publication.run_id === null ? COMMENT_STEPS : PATCH_STEPS;
  const { state } = publication;
  const here = path.indexOf(state);
  if (here < 0) return failed(path, state, times);
  return path.map((step, place) => ({
    state: step,
    name: NAMES[step],
    at: place <= here ? (times.get(step) ?? null) : null,
    phase: phaseOf(place, here, step),
  }));
}

function phaseOf(place: number, here: number, step: PublicationState): Step["phase"] {
  if (place > here) return "ahead";
  return place === here && step !== "done" ? "now" : "past";
}

function failed(
  path: readonly PublicationState[],
  state: PublicationState,
  times: ReadonlyMap<PublicationState, number>,
): Step[] {
  const reached = path.filter((step) => times.has(step) || step === "requested");
  const past = reached.map<Step>((step) => ({
    state: step,
    name: NAMES[step],
    at: times.get(step) ?? null,
    phase: "past",
  }));
  return [...past, { state, name: NAMES[state], at: times.get(state) ?? null, phase: "failed" }];
}

function timesOf(
  publication: PublicationView,
  events: readonly EventView[],
): Map<PublicationState, number> {
  const from = events.findLastIndex(({ kind }) => kind === "publication.requested");
  const times = new Map<PublicationState, number>([["requested", publication.created_at]]);
  for (const { kind, at } of from < 0 ? [] : events.slice(from)) {
    const state = REACHED[kind];
    if (state) times.set(state, at);
  }
  return times;
}
