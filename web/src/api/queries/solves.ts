import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { SolveState, SolveSummary } from "@/api/types";

export const ACTIVE: readonly SolveState[] = ["queued", "running"];
const FINAL: readonly SolveState[] = ["completed", "failed", "cancelled"];

export interface SolveFilter {
  state?: SolveState[];
  repo?: string;
  q?: string;
}

export function isActive(state: SolveState): boolean {
  return ACTIVE.includes(state);
}

export function isFinal(state: SolveState): boolean {
  return FINAL.includes(state);
}

/** A person has to answer a question before there can be a champion. */
export function needsYou({ state, champion }: Pick<SolveSummary, "state" | "champion">): boolean {
  return state === "awaiting_review" && champion === null;
}

export const solveKeys = {
  all: ["solves"] as const,
  list: (filter: SolveFilter) => ["solves", "list", filter] as const,
  one: (id: string) => ["solves", id] as const,
};

export function solvesQuery(filter: SolveFilter) {
  return infiniteQueryOptions({
    queryKey: solveKeys.list(filter),
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET("/api/solves", {
          params: { query: { limit: 50, cursor: pageParam, ...filter } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.cursor ?? undefined,
    refetchInterval: (query) => {
      const solves = query.state.data?.pages.flatMap((page): SolveSummary[] => page.solves) ?? [];
      return solves.some((solve) => isActive(solve.state)) ? 2000 : 10_000;
    },
  });
}

export function solveQuery(id: string) {
  return queryOptions({
    queryKey: solveKeys.one(id),
    queryFn: ({ signal }) =>
      ask(api.GET("/api/solves/{solve_id}", { params: { path: { solve_id: id } }, signal })),
  });
}
