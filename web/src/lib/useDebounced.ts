import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 250;

/** Updates the text immediately and calls `onPause` after a short pause. */
export function useDebounced(
  value: string,
  onPause: (text: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const latest = useRef(onPause);
  latest.current = onPause;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => latest.current(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return [typed, setTyped];
}
