import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";

export interface IssueFilter {
  q: string;
  label: string;
  page: number;
}

export interface Repo {
  owner: string;
  name: string;
}

const forgeKeys = {
  repos: ["forge", "repos"] as const,
  issues: (repo: Repo, filter: IssueFilter) => ["forge", "issues", repo, filter] as const,
  preview: (repo: Repo, number: number) => ["forge", "preview", repo, number] as const,
};

/** Each refetch costs a request to the forge, so data stays fresh for a minute. */
const STALE_MS = 60_000;

export function forgeReposQuery() {
  return queryOptions({
    queryKey: forgeKeys.repos,
    queryFn: ({ signal }) => ask(api.GET("/api/forge/repos", { signal })),
    staleTime: STALE_MS,
    retry: false,
  });
}

export function issuesQuery(repo: Repo, filter: IssueFilter) {
  return queryOptions({
    queryKey: forgeKeys.issues(repo, filter),
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/forge/repos/{owner}/{name}/issues", {
          params: { path: { ...repo }, query: filter },
          signal,
        }),
      ),
    staleTime: STALE_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The issue as contestants read it. Disabled while `wanted` is null. */
export function previewQuery(wanted: { repo: Repo; number: number } | null) {
  const { repo, number } = wanted ?? { repo: { owner: "", name: "" }, number: 0 };
  return queryOptions({
    queryKey: forgeKeys.preview(repo, number),
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/forge/repos/{owner}/{name}/issues/{number}", {
          params: { path: { ...repo, number } },
          signal,
        }),
      ),
    enabled: wanted !== null,
    staleTime: STALE_MS,
    retry: false,
  });
}
