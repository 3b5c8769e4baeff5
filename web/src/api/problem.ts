import type { Problem } from "@/api/types";

/** The server's error, or a failed connection. The message is always one line. */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Record<string, string>;
  readonly retryAfterS: number | null;

  constructor(problem: Partial<Problem>, status: number, retryAfterS: number | null = null) {
    super(problem.detail || problem.title || `the server answered ${status}`);
    this.status = status;
    this.code = problem.code ?? "";
    this.fields = Object.fromEntries((problem.errors ?? []).map((e) => [e.field, e.message]));
    this.retryAfterS = retryAfterS;
  }

  /** True if a retry can succeed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export function unreachable(): ProblemError {
  return new ProblemError({ detail: "the server is not responding", code: "internal" }, 0);
}
