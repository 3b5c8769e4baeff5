import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ProblemError } from "@/api/problem";
import { forecastQuery, type SolveBody } from "@/api/queries/newSolve";
import type { Forecast } from "@/api/types";

const PAUSE_MS = 400;

export interface Foreseen {
  /** The last good numbers, also while newer ones are on their way. */
  forecast: Forecast | undefined;
  /** They are of what the form shows now. */
  isFresh: boolean;
  isAsking: boolean;
  error: ProblemError | null;
  again: () => void;
}

/** Asked when typing pauses; an answer to something older is never shown as if it were new. */
export function useForecast(body: SolveBody | null): Foreseen {
  const now = body ? JSON.stringify(body) : "";
  const asked = usePaused(now);
  const query = useQuery({
    ...forecastQuery(asked ? (JSON.parse(asked) as SolveBody) : null),
    placeholderData: keepPreviousData,
  });
  const isCurrent = Boolean(now) && now === asked;
  const error = isCurrent && query.isError ? (query.error as ProblemError) : null;
  return {
    forecast: now ? query.data : undefined,
    isFresh: isCurrent && query.isSuccess && !query.isPlaceholderData,
    isAsking: Boolean(now) && (!isCurrent || query.isFetching),
    error,
    again: () => void query.refetch(),
  };
}

/** What was typed, once typing pauses. */
export function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
