import type { EventView, PublicationState, PublicationView } from "@/api/types";

export interface Step {
  state: PublicationState;
  name: string;
  /** Seconds since the epoch; null: not reached, or nobody noted when. */
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

const WAY: readonly PublicationState[] = ["requested", "committed", "pushed", "opened", "done"];
/** Where there is no patch to publish. */
const COMMENT_WAY: readonly PublicationState[] = ["requested", "done"];
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

/** The way of the newest request; where it failed, that stands in the place of what did not come. */
export function steps(publication: PublicationView, events: readonly EventView[]): Step[] {
  const times = timesOf(publication, events);
  const way = publication.run_id === null ? COMMENT_WAY : WAY;
  const { state } = publication;
  const here = way.indexOf(state);
  if (here < 0) return failed(way, state, times);
  return way.map((step, place) => ({
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
  way: readonly PublicationState[],
  state: PublicationState,
  times: ReadonlyMap<PublicationState, number>,
): Step[] {
  const reached = way.filter((step) => times.has(step) || step === "requested");
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
