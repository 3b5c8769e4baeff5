import type { Repo } from "@/api/queries/forge";
import type { Draft } from "@/features/ask/draft";
import { placeOf } from "@/features/ask/place";
import { issueNumber } from "@/features/ask/request";
import { hostOf } from "@/lib/forge";

/** The issue that the form names, if the forge that the server asks has it. */
export function wantedIssue(draft: Draft, forge: string): { repo: Repo; number: number } | null {
  const { repo, host } = placeOf(draft.repo);
  const number = issueNumber(draft);
  const isThere = host === undefined || host.toLowerCase() === hostOf(forge);
  return repo && number && isThere ? { repo, number } : null;
}
