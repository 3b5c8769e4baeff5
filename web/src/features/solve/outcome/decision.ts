import { REDUCERS } from "@/api/choices";
import type { EventView, PlaceEntry, SolveView, VerdictStatus, WatchedSolve } from "@/api/types";

export type Ending = "open" | "asked" | "champion" | "none" | "failed" | "cancelled";

export function endingOf({ state, champion }: WatchedSolve): Ending {
  if (state === "queued" || state === "running") return "open";
  if (state === "awaiting_review" && !champion) return "asked";
  if (state === "failed" || state === "cancelled") return state;
  return champion ? "champion" : "none";
}

export function ruleOf(reducer: string): string {
  const row = REDUCERS[reducer];
  return row ? `the verdict first, then ${row.explanation}` : reducer;
}

/** The second place, whose reason shows what decided. Null if a person chose the champion. */
export function decidedBy(ranking: readonly PlaceEntry[], champion: string): PlaceEntry | null {
  const place = ranking.find((entry) => entry.run_id === champion);
  if (place?.rank !== 1) return null;
  return ranking.find((entry) => entry.rank === 2) ?? null;
}

/** Removes the verdict from a reason, because a badge beside it shows the verdict. */
export function sansVerdict(why: string, status: VerdictStatus | null): string {
  const verdict = `${status}: `;
  return why.startsWith(verdict) ? why.slice(verdict.length) : why;
}

export interface Taken {
  at: number;
  words: string;
  /** False if no patch was taken. */
  isTaken: boolean;
}

/** A person's decision, read from the events. */
export function takenFrom(events: readonly EventView[]): Taken | null {
  const event = events.findLast(({ kind }) => kind === "solve.settled" || kind === "patch.applied");
  if (!event) return null;
  const { applied, branch, dismissed, commit, pull, pull_state: became } = event.data;
  if (typeof pull === "number") {
    const isTaken = became === "merged";
    const words = `Pull request #${pull} was ${isTaken ? "merged" : "closed"}`;
    return { at: event.at, words, isTaken };
  }
  if (typeof branch === "string" && branch) {
    const at = typeof commit === "string" && commit ? ` (${commit.slice(0, 8)})` : "";
    return { at: event.at, words: `Committed on branch ${branch}${at}`, isTaken: true };
  }
  if (typeof applied === "string" && applied) {
    return { at: event.at, words: `Applied to ${applied}`, isTaken: true };
  }
  const why = typeof dismissed === "string" && dismissed ? `: ${dismissed}` : "";
  return { at: event.at, words: `Dismissed${why}`, isTaken: false };
}

const MAX_SLUG = 40;

export function branchFor(facts: SolveView): string {
  const words = facts.issue_title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.reduce((name, word) => {
    const longer = name ? `${name}-${word}` : word;
    return longer.length > MAX_SLUG ? name : longer;
  }, "");
  const number = facts.issue_number === null ? "" : `${facts.issue_number}-`;
  return `yudai/${number}${slug || facts.solve.id.slice(-8)}`;
}

export function compareUrl(solveId: string, a: string, b: string): string {
  return `/solves/${solveId}/compare?${new URLSearchParams({ a, b })}`;
}
