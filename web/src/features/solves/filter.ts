import { useMemo } from "react";
import { useSearchParams } from "react-router";
import type { SolveFilter } from "@/api/queries/solves";
import type { SolveState } from "@/api/types";
import { withParams } from "@/lib/searchParams";

/** State filters by name. The name is used in the URL. */
export const VIEWS: readonly { id: string; name: string; states: readonly SolveState[] }[] = [
  { id: "", name: "All", states: [] },
  { id: "active", name: "Active", states: ["queued", "running"] },
  { id: "review", name: "Awaiting review", states: ["awaiting_review"] },
  { id: "completed", name: "Completed", states: ["completed"] },
  { id: "failed", name: "Failed", states: ["failed"] },
  { id: "cancelled", name: "Cancelled", states: ["cancelled"] },
];

export interface Chosen {
  view: string;
  repo: string;
  q: string;
}

export function toFilter({ view, repo, q }: Chosen): SolveFilter {
  const states = VIEWS.find(({ id }) => id === view)?.states ?? [];
  return {
    ...(states.length ? { state: [...states] } : {}),
    ...(repo ? { repo } : {}),
    ...(q.trim() ? { q: q.trim() } : {}),
  };
}

/** Filters are kept in the URL, so that a link shows the same list. */
export function useFilter() {
  const [params, setParams] = useSearchParams();
  const chosen = useMemo(
    () => ({
      view: params.get("state") ?? "",
      repo: params.get("repo") ?? "",
      q: params.get("q") ?? "",
    }),
    [params],
  );
  const choose = (changes: Partial<Chosen>) =>
    setParams(
      (before) => {
        const { view, repo, q } = { ...chosen, ...changes };
        return withParams(before, { state: view, repo, q });
      },
      { replace: true },
    );
  return { chosen, choose, isFiltered: Object.values(chosen).some(Boolean) };
}
