import { useEffect, useRef } from "react";
import { useStored } from "@/lib/storage";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const SEQUENCE_MS = 1500;
const PRESSES = new Set(["Enter", " "]);
const OWN_KEYS = "input, textarea, select, [contenteditable], dialog[open] *";

/**
 * Binds single keys (`j`, `?`) and sequences (`g r`). Ignores keys inside a field and keys with a
 * modifier, and all keys if the person has switched shortcuts off.
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
        started = { key: event.key, at: event.timeStamp };
      }
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [areOn]);
}

let started = { key: "", at: 0 };
let current: { event: KeyboardEvent | null; first: string } = { event: null, first: "" };

/**
 * Returns the first key of a sequence, the same for all listeners of one event. In `g c` the page's
 * own `c` must not run, even if its listener is called first.
 */
function firstOf(event: KeyboardEvent): string {
  if (current.event !== event) {
    const isInTime = event.timeStamp - started.at < SEQUENCE_MS;
    current = { event, first: isInTime ? started.key : "" };
    started = { key: "", at: 0 };
  }
  return current.first;
}

function isForSomethingElse(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  if (isModified || event.defaultPrevented || target?.closest(OWN_KEYS)) return true;
  // These keys activate the focused link or button.
  return PRESSES.has(event.key) && Boolean(target?.closest("a, button, summary, [role=tab]"));
}
