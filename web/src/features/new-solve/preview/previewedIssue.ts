import type { Repo } from "@/api/queries/forge";
import type { Draft } from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { issueNumber } from "@/features/new-solve/state/request";
import { hostOf } from "@/lib/forge";

/** The issue that the form names, if it is at this server's forge. */
export function previewedIssue(draft: Draft, forge: string): { repo: Repo; number: number } | null {
  const { repo, host } = parseRepository(draft.repo);
  const number = issueNumber(draft);
  const isAtForge = host === undefined || host.toLowerCase() === hostOf(forge);
  return repo && number && isAtForge ? { repo, number } : null;
}
