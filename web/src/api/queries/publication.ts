import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { OutcomeList, PublicationState, PublicationView } from "@/api/types";

const SETTLED: readonly PublicationState[] = ["done", "refused", "stale"];
const UNDER_WAY_MS = 10_000;
const SETTLED_MS = 60_000;

export const publicationKeys = {
  all: (solveId: string) => ["publication", solveId] as const,
  one: (solveId: string) => ["publication", solveId, "steps"] as const,
  outcomes: (solveId: string) => ["publication", solveId, "outcomes"] as const,
};

export function isSettled(state: PublicationState): boolean {
  return SETTLED.includes(state);
}

/** Enabled only when a publication exists, because the server has no other response. */
export function publicationQuery(solveId: string, known: PublicationView | null) {
  return queryOptions({
    queryKey: publicationKeys.one(solveId),
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/solves/{solve_id}/publication", {
          params: { path: { solve_id: solveId } },
          signal,
        }),
      ),
    enabled: known !== null,
    ...(known ? { initialData: known } : {}),
    refetchInterval: ({ state }) =>
      state.data && !isSettled(state.data.state) ? UNDER_WAY_MS : SETTLED_MS,
  });
}

/** Outcomes of the pull request. Polled slowly, because people merge days later. */
export function outcomesQuery(solveId: string, isPublished: boolean) {
  return queryOptions({
    queryKey: publicationKeys.outcomes(solveId),
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/solves/{solve_id}/outcomes", {
          params: { path: { solve_id: solveId } },
          signal,
        }),
      ),
    enabled: isPublished,
    refetchInterval: SETTLED_MS,
  });
}

export function publish(solveId: string): Promise<PublicationView> {
  const params = { path: { solve_id: solveId } };
  return ask(api.POST("/api/solves/{solve_id}/publish", { params }));
}

export function confirmOutcome(
  solveId: string,
  answer: { id: number; isRevert: boolean },
): Promise<OutcomeList> {
  const params = { path: { solve_id: solveId, outcome_id: answer.id } };
  const body = { is_revert: answer.isRevert };
  return ask(api.POST("/api/solves/{solve_id}/outcomes/{outcome_id}/confirm", { params, body }));
}
