import { ProblemError } from "@/api/problem";

export const POLL_MS = 2000;
const MAX_WAIT_MS = 30_000;
export const MAX_OPEN = 4;

/** State shared by all watchers of one solve on this page: one request serves all of them. */
interface Shared {
  /** Number of watchers per run whose messages are requested. */
  watchers: Map<string, number>;
  failures: number;
  /** Random from 0 to 1, drawn at each failure, so that the wait stays constant. */
  jitter: number;
}

const polls = new Map<string, Shared>();

function shared(solveId: string): Shared {
  const known = polls.get(solveId);
  if (known) return known;
  const added: Shared = { watchers: new Map(), failures: 0, jitter: 0 };
  polls.set(solveId, added);
  return added;
}

/** Adds a watcher of these runs. Returns a function that removes it. */
export function watchRuns(solveId: string, runIds: readonly string[]): () => void {
  const { watchers } = shared(solveId);
  for (const id of runIds) watchers.set(id, (watchers.get(id) ?? 0) + 1);
  return () => {
    for (const id of runIds) {
      const left = (watchers.get(id) ?? 0) - 1;
      if (left > 0) watchers.set(id, left);
      else watchers.delete(id);
    }
  };
}

/** Ids of the watched runs, as the `open` parameter of the server. */
export function openRuns(solveId: string): string {
  return [...shared(solveId).watchers.keys()].slice(0, MAX_OPEN).join(",");
}

/** Records whether the last request succeeded. The wait grows with each failure. */
export function recordResult(solveId: string, isSuccess: boolean): void {
  const poll = shared(solveId);
  poll.failures = isSuccess ? 0 : poll.failures + 1;
  poll.jitter = isSuccess ? 0 : (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32;
}

export function retryMs(solveId: string, error: unknown): number {
  const { failures, jitter } = shared(solveId);
  return waitMs(failures, jitter, error);
}

/** Waits 2, 4, 8, 16, 30 s plus jitter, so that not all pages retry at the same time. */
export function waitMs(failures: number, jitter: number, error?: unknown): number {
  if (error instanceof ProblemError && error.retryAfterS) return error.retryAfterS * 1000;
  return Math.min(POLL_MS * 2 ** Math.max(0, failures - 1), MAX_WAIT_MS) * (0.85 + jitter * 0.3);
}
