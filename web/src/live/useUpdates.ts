import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, ask } from "@/api/client";
import { ProblemError } from "@/api/problem";
import { solveKeys } from "@/api/queries/solves";
import type { UpdatesView } from "@/api/types";
import { opened, POLL_MS, retryMs, tell, want } from "@/live/polling";
import { type LiveSolve, NO_LIVE_SOLVE, useLiveSolves } from "@/live/store";

export interface Watched extends LiveSolve {
  isLoading: boolean;
  error: ProblemError | null;
  /** When the last good answer came, by our clock; 0: never. */
  updatedAt: number;
  /** When the last bad answer came. */
  failedAt: number;
  /** Milliseconds from then until the next try. */
  retryMs: number;
  refetch: () => void;
}

/** When an answer is taken in: from here on a browser test measures how long it takes to be seen. */
export const MERGE = "yudai.merge";

const NONE: readonly string[] = [];

function updatesKey(solveId: string) {
  return ["updates", solveId] as const;
}

/**
 * Everything about a solve as it changes; the messages only of the runs that are `open`, here or
 * in any other component: however many watch, one request every two seconds serves them all.
 */
export function useUpdates(solveId: string, open: readonly string[] = NONE): Watched {
  useOpen(solveId, open);
  const query = useQuery({
    queryKey: updatesKey(solveId),
    queryFn: ({ signal }) => pull(solveId, signal),
    refetchInterval: ({ state }) => nextMs(solveId, state.data, state.error),
    refetchOnWindowFocus: true,
    refetchOnReconnect: true,
    // The server is often this very machine: it answers without a network.
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
    const takeBack = want(solveId, runs.split(","));
    const queryKey = updatesKey(solveId);
    // The very first request is sent after this and asks for them; any other has gone without.
    const state = client.getQueryState(queryKey);
    const isAsked = state && (state.fetchStatus !== "idle" || state.dataUpdateCount > 0);
    if (isAsked) void client.refetchQueries({ queryKey });
    return takeBack;
  }, [client, solveId, runs]);
}

/** What is asked for once and not polled is asked again when it has changed: facts, ranking, list. */
function useFreshFacts({ solve }: LiveSolve): void {
  const client = useQueryClient();
  const told = solve && `${solve.state} ${solve.champion ?? ""} ${solve.reason}`;
  const before = useRef(told);
  useEffect(() => {
    const isNews = before.current && told && before.current !== told;
    before.current = told;
    if (isNews) void client.invalidateQueries({ queryKey: solveKeys.all });
  }, [client, told]);
}

interface Envelope {
  pollMs: number;
  terminal: boolean;
}

async function pull(solveId: string, signal: AbortSignal): Promise<Envelope> {
  try {
    const last = await pullAll(solveId, signal);
    tell(solveId, true);
    return { pollMs: last.poll_ms, terminal: last.terminal };
  } catch (error) {
    if (!signal.aborted) tell(solveId, false);
    throw error;
  }
}

async function pullAll(solveId: string, signal: AbortSignal): Promise<UpdatesView> {
  for (;;) {
    const cursor = useLiveSolves.getState().solves.get(solveId)?.cursor ?? "";
    const open = opened(solveId);
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
