import { useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { type Filter, toFilter } from "@/features/trajectory/kinds";
import { useIsLeaving } from "@/lib/useIsLeaving";

/** What is looked at, as it stands in the address. */
export interface Look {
  /** The message that is selected. */
  m: string;
  kind: string;
  q: string;
  attempt: string;
  /** What stands beside the messages. */
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
 * In the address of a page of its own; side by side with others each keeps its own. The address
 * follows a moment later: it changes too slowly for keys that are held down and for fast typing.
 */
export function useTrajectoryUrl(isInAddress: boolean): TrajectoryUrl {
  const [params, setParams] = useSearchParams();
  const isLeaving = useIsLeaving();
  const [now, setNow] = useState(() => (isInAddress ? read(params) : NOTHING));
  const address = JSON.stringify(read(params));
  const agreed = useRef(address);
  useEffect(() => {
    // Somebody else changed it: a link, or going back.
    if (!isInAddress || agreed.current === address) return;
    agreed.current = address;
    setNow(JSON.parse(address));
  }, [isInAddress, address]);
  useEffect(() => {
    const wanted = JSON.stringify(now);
    if (!isInAddress || isLeaving || agreed.current === wanted) return;
    const timer = setTimeout(() => {
      agreed.current = wanted;
      setParams((before) => written(before, now), { replace: true, preventScrollReset: true });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isInAddress, isLeaving, now, setParams]);
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

function written(before: URLSearchParams, now: Look): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const name of NAMES) {
    if (now[name]) after.set(name, now[name]);
    else after.delete(name);
  }
  return after;
}

export function toNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
