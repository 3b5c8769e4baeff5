import { useEffect, useState } from "react";

/** Our clock in milliseconds, anew every `everyMs` while it is looked at. */
export function useNow(everyMs: number, isOn = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => document.hidden || setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOn]);
  return now;
}
