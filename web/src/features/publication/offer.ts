import type { PublicationView, SolveView, VerdictStatus, WatchedSolve } from "@/api/types";

/** What can be done now, or in one line why not. */
export type Offer =
  | { kind: "publish" | "again" }
  | { kind: "not"; why: string }
  | { kind: "nothing" };

const NOTHING: Offer = { kind: "nothing" };
const PUBLISHABLE: readonly VerdictStatus[] = ["passed", "unproved"];

/** As the server decides it: a champion that was verified, of a solve that waits for a person. */
export function offerOf(
  solve: WatchedSolve,
  facts: SolveView,
  publication: PublicationView | null,
): Offer {
  if (!solve.champion || !isWaiting(solve, facts)) return NOTHING;
  if (publication && !mayAskAgain(publication)) return NOTHING;
  if (facts.publish === "never") {
    return { kind: "not", why: "it was started with publishing set to never" };
  }
  const verdict = facts.ranking.find(({ run_id }) => run_id === solve.champion)?.verdict.status;
  if (verdict && !PUBLISHABLE.includes(verdict)) {
    return {
      kind: "not",
      why: `its verdict is ${verdict}, and only verified patches are published: choose another champion`,
    };
  }
  const hasFailed = publication?.state === "refused" || publication?.state === "stale";
  return { kind: hasFailed ? "again" : "publish" };
}

/** Also after the rules named nobody, and a person did. */
function isWaiting(solve: WatchedSolve, facts: SolveView): boolean {
  if (solve.state === "awaiting_review") return true;
  return solve.state === "completed" && facts.events.some(({ kind }) => kind === "solve.abstained");
}

/** Only a comment was written, or it came to nothing. */
function mayAskAgain({ state, pull_number: number }: PublicationView): boolean {
  return state === "refused" || state === "stale" || (state === "done" && number === null);
}
