import { useEffect, useRef, useState } from "react";
import { useIsLeaving } from "@/lib/useIsLeaving";

const PAUSE_MS = 250;

/** Typing goes on at once; whoever listens is told after a short pause. */
export function useDebounced(
  value: string,
  tell: (text: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const isLeaving = useIsLeaving();
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value || isLeaving) return;
    const timer = setTimeout(() => latest.current(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, isLeaving]);
  return [typed, setTyped];
}
