import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, newKey } from "@/api/client";
import type { ChatMessage } from "@/api/types";

const EMPTY = { title: "", repo_path: "", repo_url: "", solve_id: "" };

export const chatKeys = {
  all: ["conversations"] as const,
  one: (id: string) => ["conversations", id] as const,
  messages: (id: string) => ["conversations", id, "messages"] as const,
};

export function conversationsQuery() {
  return infiniteQueryOptions({
    queryKey: [...chatKeys.all, "list"],
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET("/api/conversations", {
          params: { query: { limit: 50, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.cursor ?? undefined,
    refetchInterval: 15_000,
  });
}

export function conversationQuery(id: string) {
  return queryOptions({
    queryKey: chatKeys.one(id),
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/conversations/{conversation_id}", {
          params: { path: { conversation_id: id } },
          signal,
        }),
      ),
    refetchInterval: 15_000,
  });
}

/** Fetches the newest messages. Older ones are fetched with `before`. */
export function messages(
  id: string,
  bounds: { after?: string; before?: string },
  signal?: AbortSignal,
) {
  return ask(
    api.GET("/api/conversations/{conversation_id}/messages", {
      params: { path: { conversation_id: id }, query: { limit: 100, ...bounds } },
      ...(signal ? { signal } : {}),
    }),
  );
}

export function post(id: string, text: string) {
  return ask(
    api.POST("/api/conversations/{conversation_id}/messages", {
      params: { path: { conversation_id: id }, header: { "Idempotency-Key": newKey() } },
      body: { text },
    }),
  );
}

/** Starts a conversation. A repeated call with the same key starts no second one. */
export function startConversation(
  body: { title?: string; repo_path?: string; repo_url?: string; solve_id?: string },
  key: string = newKey(),
) {
  return ask(
    api.POST("/api/conversations", {
      params: { header: { "Idempotency-Key": key } },
      body: { ...EMPTY, ...body },
    }),
  );
}

/** Joins two parts of one conversation without repeating messages, in order of id. */
export function joined(one: readonly ChatMessage[], two: readonly ChatMessage[]): ChatMessage[] {
  const all = new Map([...one, ...two].map((message) => [message.id, message]));
  return [...all.values()].sort((a, b) => a.id - b.id);
}
