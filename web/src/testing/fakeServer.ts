/** A fake server for tests of whole pages: responds by route and records requests. */
import { vi } from "vitest";
import { api } from "@/api/client";
import type { Me } from "@/api/types";

export interface RecordedRequest {
  /** `POST /api/solves/s1/publish` */
  route: string;
  query: Record<string, unknown>;
  body: unknown;
}

interface Options {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: unknown;
}

type FakeResponse = unknown | ((request: RecordedRequest) => unknown);

/** A response of `new Refused(403, "…")` is an error response. */
export class Refused {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly errors: { field: string; message: string }[] = [],
  ) {}
}

/** A test may change the responses while the page is shown. */
export function serve(responses: Record<string, FakeResponse>): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  for (const method of ["GET", "POST", "DELETE"] as const) {
    const respond = (template: string, options: Options = {}) => {
      const { path = {}, query = {} } = options.params ?? {};
      const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => String(path[name]));
      const request = { route: `${method} ${filled}`, query, body: options.body ?? null };
      requests.push(request);
      const response = responses[request.route] ?? new Refused(404, `nothing at ${request.route}`);
      return resultOf(typeof response === "function" ? response(request) : response);
    };
    vi.spyOn(api, method).mockImplementation(respond as never);
  }
  return requests;
}

function resultOf(data: unknown) {
  if (!(data instanceof Refused)) return Promise.resolve({ data, response: new Response() });
  const { status, detail, errors } = data;
  const response = new Response(null, { status });
  return Promise.resolve({ error: { detail, errors, status }, response });
}

export const FORGE = "https://github.com";

export function signedIn(over: Partial<Me> = {}): Me {
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

export const SIGNED_OUT = signedIn({ needs_login: true, user_id: null, login: null, scopes: [] });
