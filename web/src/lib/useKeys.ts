import { useEffect, useRef } from "react";
import { useStored } from "@/lib/storage";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const PATIENCE_MS = 1500;
const PRESSES = new Set(["Enter", " "]);
const OWN_KEYS = "input, textarea, select, [contenteditable], dialog[open] *";

/**
 * Single keys (`j`, `?`) and sequences (`g r`). Never inside a field, never with a modifier, and
 * not at all when a person has switched them off.
 */
export function useKeys(keys: Keys): void {
  const [areOn] = useStored("yudai.keys", "on");
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (areOn !== "on") return;
    const listen = (event: KeyboardEvent) => {
      if (isForSomethingElse(event)) return;
      const first = firstOf(event);
      const keys = latest.current;
      const act = keys[first ? `${first} ${event.key}` : event.key];
      if (act) {
        event.preventDefault();
        act(event);
      } else if (!first && Object.keys(keys).some((name) => name.startsWith(`${event.key} `))) {
        begun = { key: event.key, at: event.timeStamp };
      }
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [areOn]);
}

let begun = { key: "", at: 0 };
let asked: { event: KeyboardEvent | null; first: string } = { event: null, first: "" };

/**
 * The key that a sequence began with, the same for all who listen: in `g c` the page's own `c` must
 * not be meant, whoever hears of it first.
 */
function firstOf(event: KeyboardEvent): string {
  if (asked.event !== event) {
    const isInTime = event.timeStamp - begun.at < PATIENCE_MS;
    asked = { event, first: isInTime ? begun.key : "" };
    begun = { key: "", at: 0 };
  }
  return asked.first;
}

function isForSomethingElse(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  if (isModified || event.defaultPrevented || target?.closest(OWN_KEYS)) return true;
  // A link or a button that has the focus is pressed with these.
  return PRESSES.has(event.key) && Boolean(target?.closest("a, button, summary, [role=tab]"));
}
