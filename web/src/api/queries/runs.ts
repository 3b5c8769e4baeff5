import { queryOptions } from "@tanstack/react-query";
import { api, ask, text } from "@/api/client";

export type Log = "setup" | "baseline" | "agent" | "test";

export const runKeys = {
  one: (id: string) => ["runs", id] as const,
  part: (id: string, part: string, ...rest: (string | number)[]) =>
    ["runs", id, part, ...rest] as const,
};

export function runQuery(id: string) {
  return queryOptions({
    queryKey: runKeys.one(id),
    queryFn: ({ signal }) =>
      ask(api.GET("/api/runs/{run_id}", { params: { path: { run_id: id } }, signal })),
  });
}

/** `rev` changes with the run, so that a "not yet" response is fetched again. */
export function patchQuery(id: string, rev: number | string) {
  return queryOptions({
    queryKey: runKeys.part(id, "patch", rev),
    queryFn: ({ signal }) => text(`/api/runs/${encodeURIComponent(id)}/patch`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export function logQuery(id: string, kind: Log, rev: number | string) {
  return queryOptions({
    queryKey: runKeys.part(id, "log", kind, rev),
    queryFn: ({ signal }) => text(`/api/runs/${encodeURIComponent(id)}/logs/${kind}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export function testsQuery(id: string, rev: number | string) {
  return queryOptions({
    queryKey: runKeys.part(id, "tests", rev),
    queryFn: ({ signal }) =>
      ask(api.GET("/api/runs/{run_id}/tests", { params: { path: { run_id: id } }, signal })),
    retry: false,
  });
}

export function planQuery(id: string, rev: number | string) {
  return queryOptions({
    queryKey: runKeys.part(id, "plan", rev),
    queryFn: ({ signal }) =>
      ask(api.GET("/api/runs/{run_id}/plan", { params: { path: { run_id: id } }, signal })),
    retry: false,
  });
}

export function diffAtQuery(id: string, attempt: number, seq: number) {
  return queryOptions({
    queryKey: runKeys.part(id, "diff", attempt, seq),
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/runs/{run_id}/messages/{seq}/diff", {
          params: { path: { run_id: id, seq }, query: { attempt } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
