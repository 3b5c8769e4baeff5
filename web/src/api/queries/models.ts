import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";

export const modelKeys = { all: ["models"] as const };

export function modelsQuery() {
  return queryOptions({
    queryKey: modelKeys.all,
    queryFn: async ({ signal }) => (await ask(api.GET("/api/models", { signal }))).models,
    staleTime: 60_000,
  });
}
