import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, ask } from "@/api/client";
import { ProblemError } from "@/api/problem";
import { solveKeys } from "@/api/queries/solves";
import type { UpdatesView } from "@/api/types";
import { openRuns, POLL_MS, recordResult, retryMs, watchRuns } from "@/live/polling";
import { type LiveSolve, NO_LIVE_SOLVE, useLiveSolves } from "@/live/store";

export interface Watched extends LiveSolve {
  isLoading: boolean;
  error: ProblemError | null;
  /** Time of the last successful response by the browser's clock; 0 if there was none. */
  updatedAt: number;
  /** Time of the last failed response. */
  failedAt: number;
  /** Milliseconds from `failedAt` until the next attempt. */
  retryMs: number;
  refetch: () => void;
}

/**
 * Performance mark set when an update is merged. A browser test measures the time from it to paint.
 */
export const MERGE = "yudai.merge";

const NONE: readonly string[] = [];

function updatesKey(solveId: string) {
  return ["updates", solveId] as const;
}

/**
 * Watches a solve. Returns the messages only of the runs in `open` of any mounted component: one
 * request every two seconds serves all of them.
 */
export function useUpdates(solveId: string, open: readonly string[] = NONE): Watched {
  useOpen(solveId, open);
  const query = useQuery({
    queryKey: updatesKey(solveId),
    queryFn: ({ signal }) => pull(solveId, signal),
    refetchInterval: ({ state }) => nextMs(solveId, state.data, state.error),
    refetchOnWindowFocus: true,
    refetchOnReconnect: true,
    // The server often runs on this machine and answers without a network.
    networkMode: "always",
    structuralSharing: false,
    retry: false,
    staleTime: 0,
  });
  const { refetch } = query;
  const liveSolve = useLiveSolves((state) => state.solves.get(solveId) ?? NO_LIVE_SOLVE);
  useFreshFacts(liveSolve);
  const error = query.error instanceof ProblemError ? query.error : null;
  return {
    ...liveSolve,
    isLoading: liveSolve.solve === null && query.isPending,
    error: query.isError ? error : null,
    updatedAt: query.dataUpdatedAt,
    failedAt: query.errorUpdatedAt,
    retryMs: query.isError ? retryMs(solveId, query.error) : 0,
    refetch: () => void refetch(),
  };
}

function useOpen(solveId: string, open: readonly string[]): void {
  const client = useQueryClient();
  const runs = open.join(",");
  useEffect(() => {
    if (!runs) return;
    const stop = watchRuns(solveId, runs.split(","));
    const queryKey = updatesKey(solveId);
    // The first request is sent after this effect and includes these runs. A later one did not.
    const state = client.getQueryState(queryKey);
    const isTooLate = state && (state.fetchStatus !== "idle" || state.dataUpdateCount > 0);
    if (isTooLate) void client.refetchQueries({ queryKey });
    return stop;
  }, [client, solveId, runs]);
}

/** Invalidates queries that are not polled (facts, ranking, list) when the solve changes. */
function useFreshFacts({ solve }: LiveSolve): void {
  const client = useQueryClient();
  const summary = solve && `${solve.state} ${solve.champion ?? ""} ${solve.reason}`;
  const before = useRef(summary);
  useEffect(() => {
    const isChanged = before.current && summary && before.current !== summary;
    before.current = summary;
    if (isChanged) void client.invalidateQueries({ queryKey: solveKeys.all });
  }, [client, summary]);
}

interface Envelope {
  pollMs: number;
  terminal: boolean;
}

async function pull(solveId: string, signal: AbortSignal): Promise<Envelope> {
  try {
    const last = await pullAll(solveId, signal);
    recordResult(solveId, true);
    return { pollMs: last.poll_ms, terminal: last.terminal };
  } catch (error) {
    if (!signal.aborted) recordResult(solveId, false);
    throw error;
  }
}

async function pullAll(solveId: string, signal: AbortSignal): Promise<UpdatesView> {
  for (;;) {
    const cursor = useLiveSolves.getState().solves.get(solveId)?.cursor ?? "";
    const open = openRuns(solveId);
    const update: UpdatesView = await ask(
      api.GET("/api/solves/{solve_id}/updates", {
        params: {
          path: { solve_id: solveId },
          query: open ? { cursor, open: [open] } : { cursor },
        },
        signal,
      }),
    );
    performance.clearMarks(MERGE);
    performance.mark(MERGE);
    useLiveSolves.getState().merge(solveId, update, cursor);
    if (!update.more) return update;
  }
}

function nextMs(solveId: string, last: Envelope | undefined, error: unknown): number | false {
  if (error instanceof ProblemError && !error.isPassing) return false;
  if (error) return retryMs(solveId, error);
  if (last?.terminal) return false;
  return last?.pollMs || POLL_MS;
}
