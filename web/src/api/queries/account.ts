import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { KeyAsk, NewKey } from "@/api/types";

export const accountKeys = {
  keys: ["account", "keys"] as const,
  logins: ["account", "logins"] as const,
};

export function keysQuery() {
  return queryOptions({
    queryKey: accountKeys.keys,
    queryFn: async ({ signal }) => (await ask(api.GET("/api/keys", { signal }))).keys,
  });
}

export function loginsQuery() {
  return queryOptions({
    queryKey: accountKeys.logins,
    queryFn: async ({ signal }) => (await ask(api.GET("/api/logins", { signal }))).logins,
  });
}

export function createKey(body: KeyAsk): Promise<NewKey> {
  return ask(api.POST("/api/keys", { body }));
}

export function revokeKey(keyId: string) {
  return ask(api.DELETE("/api/keys/{key_id}", { params: { path: { key_id: keyId } } }));
}

export function endLogin(loginId: string) {
  return ask(api.DELETE("/api/logins/{login_id}", { params: { path: { login_id: loginId } } }));
}

export function endLogins() {
  return ask(api.DELETE("/api/logins"));
}
