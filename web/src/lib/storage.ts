import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

/** Returns null if nothing is stored or storage is forbidden. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** A setting stored in this browser. It has the default value if storage is forbidden. */
export function useStored(key: string, otherwise: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => read(key) ?? otherwise);
  return [value, (next) => store(key, next)];
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}
