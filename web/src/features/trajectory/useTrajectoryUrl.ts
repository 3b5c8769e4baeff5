import { useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { type Filter, toFilter } from "@/features/trajectory/kinds";
import { SAME_PLACE, withParams } from "@/lib/searchParams";
import { useIsLeaving } from "@/lib/useIsLeaving";

/** The view state in the URL. */
export interface Look {
  /** The selected message. */
  m: string;
  kind: string;
  q: string;
  attempt: string;
  /** The tab of the side panel. */
  side: string;
}

const NAMES = ["m", "kind", "q", "attempt", "side"] as const;
const NOTHING: Look = { m: "", kind: "", q: "", attempt: "", side: "" };
const SETTLED_MS = 200;

export interface TrajectoryUrl {
  selected: number | null;
  filter: Filter;
  query: string;
  attempt: number | null;
  side: string;
  look: (changed: Partial<Look>) => void;
}

/**
 * Keeps the view state in the URL on a page of its own, and locally in a compact view. The URL is
 * updated after a pause, because browsers limit how often it may change.
 */
export function useTrajectoryUrl(usesUrl: boolean): TrajectoryUrl {
  const [params, setParams] = useSearchParams();
  const isLeaving = useIsLeaving();
  const [now, setNow] = useState(() => (usesUrl ? read(params) : NOTHING));
  const urlState = JSON.stringify(read(params));
  const synced = useRef(urlState);
  useEffect(() => {
    // The URL was changed elsewhere: by a link or the back button.
    if (!usesUrl || synced.current === urlState) return;
    synced.current = urlState;
    setNow(JSON.parse(urlState));
  }, [usesUrl, urlState]);
  useEffect(() => {
    const next = JSON.stringify(now);
    if (!usesUrl || isLeaving || synced.current === next) return;
    const timer = setTimeout(() => {
      synced.current = next;
      setParams((before) => withParams(before, { ...now }), SAME_PLACE);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [usesUrl, isLeaving, now, setParams]);
  const look = useCallback(
    (changed: Partial<Look>) => setNow((before) => ({ ...before, ...changed })),
    [],
  );
  return {
    selected: toNumber(now.m),
    filter: toFilter(now.kind),
    query: now.q,
    attempt: toNumber(now.attempt) || null,
    side: now.side,
    look,
  };
}

function read(params: URLSearchParams): Look {
  const entries = NAMES.map((name) => [name, params.get(name) ?? ""]);
  return { ...NOTHING, ...Object.fromEntries(entries) };
}

export function toNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
