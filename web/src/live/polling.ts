import { ProblemError } from "@/api/problem";

export const POLL_MS = 2000;
const MAX_WAIT_MS = 30_000;
export const MAX_OPEN = 4;

/** What all watchers of one solve on this page share: one request asks for all of them. */
interface Shared {
  /** How many watchers want the messages of which run. */
  wanted: Map<string, number>;
  failures: number;
  /** From 0 to 1, drawn anew with each failure: a wait must not change while it is waited. */
  luck: number;
}

const polls = new Map<string, Shared>();

function shared(solveId: string): Shared {
  const found = polls.get(solveId);
  if (found) return found;
  const made: Shared = { wanted: new Map(), failures: 0, luck: 0 };
  polls.set(solveId, made);
  return made;
}

/** Returns how to take it back. */
export function want(solveId: string, runIds: readonly string[]): () => void {
  const { wanted } = shared(solveId);
  for (const id of runIds) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  return () => {
    for (const id of runIds) {
      const left = (wanted.get(id) ?? 0) - 1;
      if (left > 0) wanted.set(id, left);
      else wanted.delete(id);
    }
  };
}

/** The runs whose messages are wanted, as the server takes them. */
export function opened(solveId: string): string {
  return [...shared(solveId).wanted.keys()].slice(0, MAX_OPEN).join(",");
}

/** Whether the last answer was a good one; the wait grows with each that was not. */
export function tell(solveId: string, isGood: boolean): void {
  const poll = shared(solveId);
  poll.failures = isGood ? 0 : poll.failures + 1;
  poll.luck = isGood ? 0 : (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32;
}

export function retryMs(solveId: string, error: unknown): number {
  const { failures, luck } = shared(solveId);
  return waitMs(failures, luck, error);
}

/** 2, 4, 8, 16, 30 s and a little luck, so that not all pages ask at once. */
export function waitMs(failures: number, luck: number, error?: unknown): number {
  if (error instanceof ProblemError && error.retryAfterS) return error.retryAfterS * 1000;
  return Math.min(POLL_MS * 2 ** Math.max(0, failures - 1), MAX_WAIT_MS) * (0.85 + luck * 0.3);
}
