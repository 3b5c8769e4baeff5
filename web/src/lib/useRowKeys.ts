import { useState } from "react";
import { useKeys } from "@/lib/useKeys";

/**
 * Binds `j` and `k` to the next and previous row and `o` to opening it. Focuses the row's first
 * link.
 */
export function useRowKeys(ids: readonly string[]): number {
  const [at, setAt] = useState(-1);
  const chosen = Math.min(at, ids.length - 1);
  const link = (place: number) =>
    document.getElementById(ids[place] ?? "")?.querySelector<HTMLElement>("a") ?? null;
  const move = (by: number) => {
    const next = Math.min(ids.length - 1, Math.max(0, chosen + by));
    setAt(next);
    link(next)?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1), o: () => link(chosen)?.click() });
  return chosen;
}
