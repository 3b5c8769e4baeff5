import type { Repo } from "@/api/queries/forge";
import type { Draft } from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { issueNumber } from "@/features/new-solve/state/request";
import { hostOf } from "@/lib/forge";

/** The issue that the form names, if the forge that the server asks has it. */
export function wantedIssue(draft: Draft, forge: string): { repo: Repo; number: number } | null {
  const { repo, host } = parseRepository(draft.repo);
  const number = issueNumber(draft);
  const isThere = host === undefined || host.toLowerCase() === hostOf(forge);
  return repo && number && isThere ? { repo, number } : null;
}
