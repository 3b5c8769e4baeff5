import { useMemo } from "react";
import { useSearchParams } from "react-router";
import type { IssueFilter } from "@/api/queries/forge";
import type { RepoLine } from "@/api/types";

/** Repositories whose name or description contains every typed word. */
export function matching(repos: readonly RepoLine[], typed: string): RepoLine[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return repos.filter((repo) => {
    const text = `${repo.name} ${repo.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const MAX_PAGE = 1000;

export function pageOf(text: string | null): number {
  const page = Number(text);
  return Number.isInteger(page) && page >= 1 ? Math.min(page, MAX_PAGE) : 1;
}

/** Keeps words, label and page in the URL. A new search starts on page 1. */
export function useIssueFilter() {
  const [params, setParams] = useSearchParams();
  const filter = useMemo<IssueFilter>(
    () => ({
      q: (params.get("q") ?? "").slice(0, 200),
      label: (params.get("label") ?? "").slice(0, 50),
      page: pageOf(params.get("page")),
    }),
    [params],
  );
  const choose = (changes: Partial<IssueFilter>) => {
    const next = { ...filter, page: 1, ...changes };
    const named: [string, string][] = [
      ["q", next.q],
      ["label", next.label],
      ["page", next.page > 1 ? String(next.page) : ""],
    ];
    setParams(named.filter(([, value]) => value));
  };
  return { filter, choose, isFiltered: Boolean(filter.q || filter.label) };
}
