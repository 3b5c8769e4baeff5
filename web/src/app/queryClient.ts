import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError } from "@/api/problem";
import { meKeys } from "@/api/queries/me";

const RETRIES = 3;

/**
 * A 401 refetches the current user. Only that response decides whether the page redirects to the
 * login, so that a stray 401 cannot cause a redirect loop.
 */
export function makeQueryClient(): QueryClient {
  const checkLogin = (error: unknown, key?: readonly unknown[]) => {
    const isUnauthorized = error instanceof ProblemError && error.status === 401;
    if (!isUnauthorized || key?.[0] === meKeys.me[0]) return;
    void client.invalidateQueries({ queryKey: meKeys.me }, { cancelRefetch: false });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => checkLogin(error, query.queryKey) }),
    mutationCache: new MutationCache({ onError: (error) => checkLogin(error) }),
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
