import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { Forecast, SolveAsk, SolveSummary } from "@/api/types";

/** A request body. Left-out fields get the server's defaults. */
export type SolveBody = Partial<Omit<SolveAsk, "matrix">> & {
  matrix: Partial<SolveAsk["matrix"]> & Pick<SolveAsk["matrix"], "models">;
};

export const askKeys = {
  forecast: (body: SolveBody | null) => ["forecasts", body] as const,
  repos: ["repos"] as const,
};

/** Estimates a solve without starting it. Equal bodies share one cached response. */
export function forecastQuery(body: SolveBody | null) {
  return queryOptions({
    queryKey: askKeys.forecast(body),
    queryFn: ({ signal }) => forecast(body as SolveBody, signal),
    enabled: body !== null,
    retry: false,
    staleTime: 15_000,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  });
}

function forecast(body: SolveBody, signal: AbortSignal): Promise<Forecast> {
  return ask(api.POST("/api/forecasts", { body: body as SolveAsk, signal }));
}

export function reposQuery() {
  return queryOptions({
    queryKey: askKeys.repos,
    queryFn: async ({ signal }) => (await ask(api.GET("/api/repos", { signal }))).repos,
    staleTime: 30_000,
    retry: false,
  });
}

export function createSolve(body: SolveBody, key: string): Promise<SolveSummary> {
  const params = { header: { "Idempotency-Key": key } };
  return ask(api.POST("/api/solves", { params, body: body as SolveAsk }));
}

export function startDemo(key: string): Promise<SolveSummary> {
  return ask(api.POST("/api/demo", { params: { header: { "Idempotency-Key": key } } }));
}
