import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { OutcomeList, PublicationState, PublicationView } from "@/api/types";

const RESTING: readonly PublicationState[] = ["done", "refused", "stale"];
const UNDER_WAY_MS = 10_000;
const AT_REST_MS = 60_000;

export const publicationKeys = {
  all: (solveId: string) => ["publication", solveId] as const,
  one: (solveId: string) => ["publication", solveId, "steps"] as const,
  outcomes: (solveId: string) => ["publication", solveId, "outcomes"] as const,
};

export function isResting(state: PublicationState): boolean {
  return RESTING.includes(state);
}

/** It is asked for only once there is one: before, the server has nothing to tell. */
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
      state.data && !isResting(state.data.state) ? UNDER_WAY_MS : AT_REST_MS,
  });
}

/** What became of the pull request: people merge it days later, so it is asked for slowly. */
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
    refetchInterval: AT_REST_MS,
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
