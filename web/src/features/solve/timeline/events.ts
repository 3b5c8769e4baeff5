import { isActive } from "@/api/queries/solves";
import type { EventView, SolveState, WatchedSolve } from "@/api/types";

export interface Stage {
  state: SolveState;
  name: string;
  /** Seconds since the epoch; null if not reached. */
  at: number | null;
  /** Duration in seconds; null if it has not ended or was never reached. */
  lasted: number | null;
  phase: "past" | "now" | "ahead" | "skipped";
}

export const NAMES: Record<SolveState, string> = {
  queued: "Queued",
  running: "Running",
  awaiting_review: "Awaiting review",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

const STAGES: readonly SolveState[] = ["queued", "running", "awaiting_review"];
const ENDS: readonly SolveState[] = ["completed", "failed", "cancelled"];

/** The stages of a solve: queued, running, awaiting review and the final state. */
export function stages(solve: WatchedSolve, events: readonly EventView[]): Stage[] {
  const times = timesOf(solve, events);
  const hasEnded = ENDS.includes(solve.state);
  const states = [...STAGES, hasEnded ? solve.state : "completed"];
  const here = states.indexOf(solve.state);
  return states.map((state, place) => {
    // After an answer it may have been further already.
    const at = place > here ? null : (times.get(state) ?? null);
    const next = states.slice(place + 1).find((later) => times.has(later));
    const until = next === undefined ? null : (times.get(next) ?? null);
    return {
      state,
      name: NAMES[state],
      at,
      lasted: at === null || until === null || place >= here ? null : Math.max(0, until - at),
      phase: phaseOf(place, here, at),
    };
  });
}

function phaseOf(place: number, here: number, at: number | null): Stage["phase"] {
  if (place > here) return "ahead";
  if (place === here) return "now";
  return at === null ? "skipped" : "past";
}

/** Events have the exact times. The solve's own times are used until the events arrive. */
function timesOf(solve: WatchedSolve, events: readonly EventView[]): Map<SolveState, number> {
  const times = new Map<SolveState, number>([["queued", solve.created_at]]);
  if (solve.started_at !== null) times.set("running", solve.started_at);
  for (const event of events) {
    // It runs since its start, however often a person has answered.
    if (event.kind === "solve.answered") continue;
    const to = event.kind.startsWith("solve.") ? event.data.to : undefined;
    if (typeof to === "string" && to in NAMES) times.set(to as SolveState, event.at);
  }
  const isStopped = !isActive(solve.state);
  if (isStopped && !times.has(solve.state) && solve.finished_at !== null) {
    times.set(solve.state, solve.finished_at);
  }
  return times;
}

const WORDS: Record<string, string> = {
  "solve.opened": "requested",
  "solve.imported": "imported from a file",
  "solve.started": "started",
  "solve.resumed": "resumed",
  "solve.offered": "a champion was offered for review",
  "solve.asked": "a person has to answer:",
  "solve.answered": "a person answered",
  "question.answered": "a person answered",
  "solve.abstained": "completed without a champion",
  "solve.settled": "a person has decided",
  "solve.broke": "failed",
  "solve.cancelled": "stopped",
  "base.fetched": "the repository was fetched",
  "base.prepared": "the repository was set up",
  "network.blocked": "a connection was blocked:",
  "network.blocked_more": "more connections were blocked than are listed here,",
  "baseline.measured": "the tests were measured before any change",
  "baseline.partial": "not all tests of the base could be run:",
  "runs.cross_examined": "each patch was tested with the other contestants' tests",
  "champion.chosen": "chosen as champion by a person",
  "patch.applied": "its patch was applied",
  "run.started": "started",
  "run.resumed": "resumed",
  "run.retried": "was started again",
  "run.submitted": "submitted its patch",
  "run.judged": "was verified",
  "run.broke": "failed",
  "run.cancelled": "was stopped",
  "run.call_lost": "lost a model call",
  "run.call_refused": "had a model call refused",
  "publication.requested": "a pull request was requested",
  "publication.committed": "the patch became a commit",
  "publication.pushed": "its branch was pushed",
  "publication.opened": "the pull request was opened",
  "publication.commented": "the result was posted in a comment",
  "publication.done": "publishing finished",
  "publication.refused": "publishing was refused",
  "publication.stale": "the base has changed in the patch's files",
  "pull.reopened": "the pull request was opened again",
  "pull.ready": "the pull request is no longer a draft",
  "pull.drafted": "the pull request is a draft again",
  "outcome.merged": "the pull request was merged",
  "outcome.closed": "the pull request was closed",
  "outcome.landed": "the change was applied to the base by hand",
  "outcome.reverted": "the change was reverted",
  "outcome.reapplied": "the change was applied again",
  "outcome.suspected_revert": "the change may have been reverted",
  "outcome.answered": "a person answered whether it was reverted",
};

/** The text of an event. A kind without a text is shown as it is named. */
export function eventWords(kind: string): string {
  return WORDS[kind] ?? kind.replace(/^[a-z]+\./, "").replaceAll("_", " ");
}

const HIDDEN = new Set(["from", "to", "key", "by", "was", "run"]);

/** Events whose facts read better as a phrase than as names and values. */
const PHRASES: Record<string, (data: EventView["data"]) => string> = {
  "network.blocked_more": ({ phase }) => (isPlain(phase) ? `in the ${phase} phase` : ""),
  "solve.asked": ({ question }) => (isPlain(question) ? `${question}` : ""),
  "baseline.partial": ({ reason }) => (isPlain(reason) ? `${reason}` : ""),
  "solve.answered": answerFacts,
  "question.answered": answerFacts,
  "network.blocked": ({ host, port, phase }) => {
    const name = String(host ?? "?");
    const place = name.includes(":") ? `[${name}]` : name;
    return `${place}${isPlain(port) ? `:${port}` : ""}${isPlain(phase) ? `, in the ${phase} phase` : ""}`;
  },
};

function answerFacts({ choice, by }: EventView["data"]): string {
  return isPlain(choice) ? `${choice}${isPlain(by) ? `, by ${by}` : ""}` : "";
}

/** The data of an event on one line. */
export function eventFacts(event: EventView): string {
  const phrase = PHRASES[event.kind];
  if (phrase) return phrase(event.data);
  return Object.entries(event.data)
    .filter(([name, value]) => !HIDDEN.has(name) && isPlain(value))
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`)
    .join(", ");
}

function isPlain(value: unknown): value is string | number {
  return (typeof value === "string" && value !== "") || typeof value === "number";
}
