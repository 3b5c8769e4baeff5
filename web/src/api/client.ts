import createClient from "openapi-fetch";
import { ProblemError, unreachable } from "@/api/problem";
import type { paths } from "@/api/schema";
import type { Problem } from "@/api/types";

export const api = createClient<paths>({ baseUrl: "", fetch: (request) => fetch(request) });

interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful response. Throws a ProblemError if the request failed. */
export async function ask<T>(request: Promise<Result<T>>): Promise<T> {
  let result: Result<T>;
  try {
    result = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (!result.response.ok) {
    const retryAfterS = Number(result.response.headers.get("Retry-After"));
    const problem = isProblem(result.error) ? result.error : {};
    throw new ProblemError(problem, result.response.status, retryAfterS > 0 ? retryAfterS : null);
  }
  return result.data as T;
}

/** Fetches an immutable text: a patch or a log. */
export async function text(path: string, signal?: AbortSignal): Promise<string> {
  const request = fetch(path, signal ? { signal } : {}).then(async (response) => {
    if (response.ok) return { data: await response.text(), response };
    return { error: await response.json().catch(() => ({})), response };
  });
  return ask<string>(request);
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "detail" in value;
}

/** An idempotency key: a POST that is sent twice is carried out once. */
export function newKey(): string {
  return crypto.randomUUID();
}
