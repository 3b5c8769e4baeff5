import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError } from "@/api/problem";
import { meKeys } from "@/api/queries/me";

const RETRIES = 3;

/**
 * Whoever is told that they are not signed in is asked for anew who they are: that alone decides
 * whether the page goes to the login, so that no answer can send it there and back.
 */
export function makeQueryClient(): QueryClient {
  const notice = (error: unknown, key?: readonly unknown[]) => {
    const isOut = error instanceof ProblemError && error.status === 401;
    if (!isOut || key?.[0] === meKeys.me[0]) return;
    void client.invalidateQueries({ queryKey: meKeys.me }, { cancelRefetch: false });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => notice(error, query.queryKey) }),
    mutationCache: new MutationCache({ onError: (error) => notice(error) }),
    defaultOptions: {
      queries: {
        staleTime: 2000,
        retry: (failures, error) =>
          failures < RETRIES && error instanceof ProblemError && error.isPassing,
      },
    },
  });
  return client;
}
