import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { Me } from "@/api/types";

export const meKeys = { me: ["me"] as const };

/** The current user. The server also answers this request to a signed-out person. */
export function meQuery() {
  return queryOptions({
    queryKey: meKeys.me,
    queryFn: ({ signal }) => ask(api.GET("/api/me", { signal })),
    staleTime: 5 * 60_000,
  });
}

/** Assumed before the response arrives: shows only what local mode shows. */
const UNKNOWN: Me = {
  mode: "local",
  needs_login: false,
  user_id: null,
  login: null,
  is_admin: false,
  scopes: [],
  forge_url: "",
  publish: "ask",
};

/** Components inside `RequireLogin` always get the server's response. */
export function useMe(): Me {
  return useQuery(meQuery()).data ?? UNKNOWN;
}

/** Server folders, server settings and the demo need local mode or an administrator. */
export function mayAdminister(me: Me): boolean {
  return me.mode === "local" || me.is_admin;
}

export function signOut() {
  return ask(api.POST("/api/logout"));
}
