import createClient from "openapi-fetch";
import { ProblemError, unreachable } from "@/api/problem";
import type { paths } from "@/api/schema";
import type { Problem } from "@/api/types";

export const api = createClient<paths>({ baseUrl: "", fetch: (request) => fetch(request) });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a good answer; a ProblemError for any other, also for none. */
export async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  let got: Answer<T>;
  try {
    got = await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (!got.response.ok) {
    const after = Number(got.response.headers.get("Retry-After"));
    const problem = isProblem(got.error) ? got.error : {};
    throw new ProblemError(problem, got.response.status, after > 0 ? after : null);
  }
  return got.data as T;
}

/** A text that the server keeps for ever: a patch or a log. */
export async function text(path: string, signal?: AbortSignal): Promise<string> {
  const answer = fetch(path, signal ? { signal } : {}).then(async (response) => {
    if (response.ok) return { data: await response.text(), response };
    return { error: await response.json().catch(() => ({})), response };
  });
  return ask<string>(answer);
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "detail" in value;
}

/** A POST that is sent twice by accident is carried out once. */
export function newKey(): string {
  return crypto.randomUUID();
}
