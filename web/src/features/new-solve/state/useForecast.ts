import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ProblemError } from "@/api/problem";
import { forecastQuery, type SolveBody } from "@/api/queries/newSolve";
import type { Forecast } from "@/api/types";

const PAUSE_MS = 400;

export interface ForecastState {
  /** The latest forecast, also while a newer one is loading. */
  forecast: Forecast | undefined;
  /** The forecast matches the current form. */
  isFresh: boolean;
  isFetching: boolean;
  error: ProblemError | null;
  retry: () => void;
}

/** Requests a forecast when typing pauses. An outdated forecast is never marked as fresh. */
export function useForecast(body: SolveBody | null): ForecastState {
  const now = body ? JSON.stringify(body) : "";
  const paused = usePaused(now);
  const query = useQuery({
    ...forecastQuery(paused ? (JSON.parse(paused) as SolveBody) : null),
    placeholderData: keepPreviousData,
  });
  const isCurrent = Boolean(now) && now === paused;
  const error = isCurrent && query.isError ? (query.error as ProblemError) : null;
  return {
    forecast: now ? query.data : undefined,
    isFresh: isCurrent && query.isSuccess && !query.isPlaceholderData,
    isFetching: Boolean(now) && (!isCurrent || query.isFetching),
    error,
    retry: () => void query.refetch(),
  };
}

/** The value after a pause in typing. */
export function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
