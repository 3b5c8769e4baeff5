import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, ask } from "@/api/client";
import { runKeys } from "@/api/queries/runs";
import type { LaneView } from "@/api/types";
import { useLiveSolves } from "@/live/store";

export function attemptsQuery(id: string, attempt: number) {
  return queryOptions({
    queryKey: runKeys.part(id, "attempts", attempt),
    queryFn: ({ signal }) =>
      ask(api.GET("/api/runs/{run_id}/attempts", { params: { path: { run_id: id } }, signal })),
    enabled: attempt > 1,
  });
}

const NO_LANES: ReadonlyMap<string, LaneView> = new Map();

/** The run: polled data, and facts that are fetched once per state. */
export function useRun(solveId: string, runId: string) {
  const liveSolve = useLiveSolves((state) => state.solves.get(solveId));
  const lanes = liveSolve?.lanes ?? NO_LANES;
  const lane = lanes.get(runId);
  const run = useQuery({
    queryKey: runKeys.part(runId, "facts", lane?.state ?? "", lane?.attempt ?? 0),
    queryFn: ({ signal }) =>
      ask(api.GET("/api/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
    enabled: lane !== undefined,
    placeholderData: (before) => (before?.id === runId ? before : undefined),
  });
  const attempts = useQuery(attemptsQuery(runId, lane?.attempt ?? 1));
  const order = useMemo(() => [...lanes.keys()], [lanes]);
  const at = order.indexOf(runId);
  return {
    lane,
    run: run.data,
    attempts: attempts.data?.attempts ?? [],
    isChampion: liveSolve?.solve?.champion === runId,
    place: at + 1,
    total: order.length,
    previous: at > 0 ? order[at - 1] : undefined,
    next: at >= 0 ? order[at + 1] : undefined,
  };
}

export type Run = ReturnType<typeof useRun>;
