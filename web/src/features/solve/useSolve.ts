import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { api, ask, newKey } from "@/api/client";
import { startConversation } from "@/api/queries/conversations";
import { isActive, solveKeys, solveQuery } from "@/api/queries/solves";
import type { LaneView, PlaceEntry } from "@/api/types";
import { type Axis, axisOf } from "@/features/solve/runs/axis";
import {
  type Opened,
  type Part,
  parseOpen,
  picked,
  type Sort,
  sorted,
  sortOf,
  toggled,
  withPart,
  writeOpen,
} from "@/features/solve/runs/order";
import { SAME_PLACE, withParams } from "@/lib/searchParams";
import { useUpdates } from "@/live/useUpdates";

export type View = "scorecard" | "diff" | "verification" | "issue" | "events";
const VIEWS: readonly View[] = ["scorecard", "diff", "verification", "issue", "events"];

type Params = (before: URLSearchParams) => URLSearchParams;

/** The page state in the URL: axis, order, open runs, picks and view. */
export function useSolveUrl() {
  const [params, setParams] = useSearchParams();
  // Two keys may be pressed before the next render: the second change starts from the first.
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  }, [params]);
  const change = useCallback(
    (how: Params) => {
      latest.current = how(latest.current);
      setParams(latest.current, SAME_PLACE);
    },
    [setParams],
  );
  const set = useCallback(
    (name: string, value: string) => change((url) => withParams(url, { [name]: value })),
    [change],
  );
  const openText = params.get("open");
  const open = useMemo(() => parseOpen(openText), [openText]);
  const pickText = params.get("pick") ?? "";
  const picks = useMemo(() => pickText.split(",").filter(Boolean).slice(-2), [pickText]);
  const reopen = useCallback(
    (how: (before: Opened[]) => Opened[]) =>
      change((url) => withParams(url, { open: writeOpen(how(parseOpen(url.get("open")))) })),
    [change],
  );
  return {
    axis: axisOf(params.get("axis")),
    sort: sortOf(params.get("sort")),
    view: VIEWS.find((view) => view === params.get("view")) ?? null,
    of: params.get("of"),
    talk: params.get("talk") !== null,
    open,
    picks,
    setAxis: (axis: Axis) => set("axis", axis === "time" ? "" : axis),
    setSort: (sort: Sort) => set("sort", sort === "rank" ? "" : sort),
    setTalk: (isOpen: boolean) => set("talk", isOpen ? "1" : ""),
    setView: (view: View, of = "") =>
      change((url) => withParams(url, { view, of: of || (url.get("of") ?? "") })),
    toggle: useCallback((runId: string) => reopen((all) => toggled(all, runId)), [reopen]),
    show: useCallback(
      (runId: string, part: Part) => reopen((all) => withPart(all, runId, part)),
      [reopen],
    ),
    pick: useCallback(
      (runId: string) =>
        change((url) => {
          const before = (url.get("pick") ?? "").split(",").filter(Boolean);
          return withParams(url, { pick: picked(before, runId).join(",") });
        }),
      [change],
    ),
  };
}

const NO_RANKING: readonly PlaceEntry[] = [];

/** The polled solve, with facts that are fetched once. */
export function useSolve(solveId: string, open: readonly Opened[], sort: Sort) {
  const runIds = useMemo(() => open.map(({ runId }) => runId), [open]);
  const watched = useUpdates(solveId, runIds);
  const facts = useQuery(solveQuery(solveId));
  const { lanes } = watched;
  const runs = facts.data?.runs;
  const places = useMemo(
    () =>
      new Map<string, number>(
        runs?.map((run) => [run.id, run.position]) ?? [...lanes.keys()].map((id, at) => [id, at]),
      ),
    [runs, lanes],
  );
  const ordered = useMemo(() => sorted([...lanes.values()], places, sort), [lanes, places, sort]);
  // Before the end the ranking means nothing, and its numbers are as old as the last fetch.
  const isOpen = watched.solve === null || isActive(watched.solve.state);
  const ranking = isOpen ? NO_RANKING : (facts.data?.ranking ?? NO_RANKING);
  const isRanked = ordered.some((lane) => lane.rank !== null);
  return { watched, facts, places, ordered, ranking, isRanked };
}

/** A person's action. Afterwards, everything about the solve is fetched again. */
function useAction<Request, Result>(
  solveId: string,
  action: (request: Request) => Promise<Result>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: action,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: solveKeys.all }),
        client.invalidateQueries({ queryKey: ["updates", solveId] }),
      ]),
  });
}

export function useStopSolve(solveId: string) {
  const params = { path: { solve_id: solveId } };
  return useAction(solveId, (_: undefined) =>
    ask(api.POST("/api/solves/{solve_id}/cancel", { params })),
  );
}

export function useStopRun(solveId: string) {
  return useAction(solveId, (run: LaneView) =>
    ask(api.POST("/api/runs/{run_id}/cancel", { params: { path: { run_id: run.id } } })),
  );
}

export function useApply(solveId: string) {
  const params = { path: { solve_id: solveId } };
  return useAction(solveId, (body: { run_id: string; branch: string }) =>
    ask(api.POST("/api/solves/{solve_id}/apply", { params, body })),
  );
}

export function useDismiss(solveId: string) {
  const params = { path: { solve_id: solveId } };
  return useAction(solveId, (reason: string) =>
    ask(api.POST("/api/solves/{solve_id}/dismiss", { params, body: { reason } })),
  );
}

export function useAnswer(solveId: string) {
  return useAction(solveId, ({ id, choice }: { id: string; choice: string }) =>
    ask(
      api.POST("/api/solves/{solve_id}/questions/{question_id}", {
        params: { path: { solve_id: solveId, question_id: id } },
        body: { choice },
      }),
    ),
  );
}

export function useStartConversation(solveId: string) {
  const [key] = useState(newKey);
  return useAction(solveId, (title: string) =>
    startConversation({ title, solve_id: solveId }, key),
  );
}
