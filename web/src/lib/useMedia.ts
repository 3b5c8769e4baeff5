import { useCallback, useSyncExternalStore } from "react";

/** Returns whether a media query matches; `fallback` if the browser has no media queries. */
export function useMedia(query: string, fallback = false): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = window.matchMedia?.(query);
      list?.addEventListener("change", changed);
      return () => list?.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia?.(query).matches ?? fallback);
}
