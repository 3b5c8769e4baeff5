import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { Me } from "@/api/types";

export const meKeys = { me: ["me"] as const };

/** Who asks; also answered to whoever is not signed in. */
export function meQuery() {
  return queryOptions({
    queryKey: meKeys.me,
    queryFn: ({ signal }) => ask(api.GET("/api/me", { signal })),
    staleTime: 5 * 60_000,
  });
}

/** Before it is known: nothing but what one person's own machine shows. */
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

/** The gate waits for it, so that whatever is behind the gate has it. */
export function useMe(): Me {
  return useQuery(meQuery()).data ?? UNKNOWN;
}

/** Folders of the server's machine, its settings and the demo are one's own, or an administrator's. */
export function mayAdminister(me: Me): boolean {
  return me.mode === "local" || me.is_admin;
}

export function signOut() {
  return ask(api.POST("/api/logout"));
}
