import type { PublicationView, SolveView, VerdictStatus, WatchedSolve } from "@/api/types";

/** What can be done now, or why nothing can be done. */
export type Offer =
  | { kind: "publish" | "again" }
  | { kind: "not"; why: string }
  | { kind: "nothing" };

const NOTHING: Offer = { kind: "nothing" };
const PUBLISHABLE: readonly VerdictStatus[] = ["passed", "unproved"];

/** Follows the server's rule: a solve that waits for a person and has a verified champion. */
export function offerOf(
  solve: WatchedSolve,
  facts: SolveView,
  publication: PublicationView | null,
): Offer {
  if (!solve.champion || !isWaiting(solve, facts)) return NOTHING;
  if (publication && !canRequestAgain(publication)) return NOTHING;
  if (facts.publish === "never") {
    return { kind: "not", why: "this solve was started with publishing set to never" };
  }
  const verdict = facts.ranking.find(({ run_id }) => run_id === solve.champion)?.verdict.status;
  if (verdict && !PUBLISHABLE.includes(verdict)) {
    return {
      kind: "not",
      why: `the champion's verdict is ${verdict}, and only verified patches are published: choose another champion`,
    };
  }
  const hasFailed = publication?.state === "refused" || publication?.state === "stale";
  return { kind: hasFailed ? "again" : "publish" };
}

/** True also if the rules chose no champion and a person did. */
function isWaiting(solve: WatchedSolve, facts: SolveView): boolean {
  if (solve.state === "awaiting_review") return true;
  return solve.state === "completed" && facts.events.some(({ kind }) => kind === "solve.abstained");
}

/** Publishing failed, or only a comment was written. */
function canRequestAgain({ state, pull_number: number }: PublicationView): boolean {
  return state === "refused" || state === "stale" || (state === "done" && number === null);
}
