import { useEffect, useRef, useState } from "react";
import { useIsLeaving } from "@/lib/useIsLeaving";

const PAUSE_MS = 250;

/** Updates the text immediately and calls `onPause` after a short pause. */
export function useDebounced(
  value: string,
  onPause: (text: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const isLeaving = useIsLeaving();
  const latest = useRef(onPause);
  latest.current = onPause;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value || isLeaving) return;
    const timer = setTimeout(() => latest.current(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, isLeaving]);
  return [typed, setTyped];
}
