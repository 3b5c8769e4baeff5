import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";

export function costQuery(days: number) {
  return queryOptions({
    queryKey: ["cost", days],
    queryFn: ({ signal }) => ask(api.GET("/api/cost", { params: { query: { days } }, signal })),
    refetchInterval: 15_000,
  });
}

export function settingsQuery() {
  return queryOptions({
    queryKey: ["settings"],
    queryFn: ({ signal }) => ask(api.GET("/api/settings", { signal })),
    staleTime: 60_000,
  });
}

/** Checks the machine, sandboxes included. Never stale, so that only the person reruns it. */
export function doctorQuery() {
  return queryOptions({
    queryKey: ["doctor"],
    queryFn: ({ signal }) => ask(api.GET("/api/doctor", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
