/** A server for tests of whole pages: what it answers by route, and what it was asked. */
import { vi } from "vitest";
import { api } from "@/api/client";
import type { Me } from "@/api/types";

export interface Asked {
  /** `POST /api/solves/s1/publish` */
  route: string;
  query: Record<string, unknown>;
  body: unknown;
}

interface Options {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: unknown;
}

type Answer = unknown | ((asked: Asked) => unknown);

/** `new Refused(403, "…")` as an answer is an error of the server's. */
export class Refused {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly errors: { field: string; message: string }[] = [],
  ) {}
}

/** The answers may be changed while the page is there. */
export function serve(answers: Record<string, Answer>): Asked[] {
  const asked: Asked[] = [];
  for (const method of ["GET", "POST", "DELETE"] as const) {
    const answer = (template: string, options: Options = {}) => {
      const { path = {}, query = {} } = options.params ?? {};
      const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => String(path[name]));
      const one = { route: `${method} ${filled}`, query, body: options.body ?? null };
      asked.push(one);
      const found = answers[one.route] ?? new Refused(404, `nothing at ${one.route}`);
      return told(typeof found === "function" ? found(one) : found);
    };
    vi.spyOn(api, method).mockImplementation(answer as never);
  }
  return asked;
}

function told(data: unknown) {
  if (!(data instanceof Refused)) return Promise.resolve({ data, response: new Response() });
  const { status, detail, errors } = data;
  const response = new Response(null, { status });
  return Promise.resolve({ error: { detail, errors, status }, response });
}

export const FORGE = "https://github.com";

export function someone(over: Partial<Me> = {}): Me {
  return {
    mode: "github",
    needs_login: false,
    user_id: "u1",
    login: "ada",
    is_admin: false,
    scopes: ["read", "run", "publish"],
    forge_url: FORGE,
    publish: "ask",
    ...over,
  };
}

export const NOBODY = someone({ needs_login: true, user_id: null, login: null, scopes: [] });
