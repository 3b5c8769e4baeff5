import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import { ProblemError } from "@/api/problem";
import type { BackendName, BaseView } from "@/api/types";

export const sandboxKeys = {
  open: ["sandboxes"] as const,
  bases: ["bases"] as const,
};

/** A refetch interval that stops on errors that a retry cannot solve. */
function every(ms: number) {
  return ({ state: { error } }: { state: { error: Error | null } }) =>
    error instanceof ProblemError && !error.isPassing ? false : ms;
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 403;
}

export function sandboxesQuery() {
  return queryOptions({
    queryKey: sandboxKeys.open,
    queryFn: async ({ signal }) => (await ask(api.GET("/api/sandboxes", { signal }))).sandboxes,
    refetchInterval: every(3000),
  });
}

/** Bases of the named backend, or of the one in use. */
export function basesQuery(backend: BackendName | null) {
  return queryOptions({
    queryKey: [...sandboxKeys.bases, backend],
    queryFn: ({ signal }) =>
      ask(api.GET("/api/bases", { params: { query: backend ? { backend } : {} }, signal })),
    refetchInterval: every(15_000),
  });
}

export function reap(dryRun: boolean) {
  return ask(api.POST("/api/sandboxes/reap", { body: { dry_run: dryRun } }));
}

export function removeBase({ key, backend }: BaseView) {
  return ask(
    api.DELETE("/api/bases/{key}", {
      params: { path: { key }, query: { backend: backend as BackendName } },
    }),
  );
}
