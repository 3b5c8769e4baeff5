import type { OutcomeView } from "@/api/types";

interface Look {
  sign: string;
  name: string;
  colour: string;
}

export const LOOKS: Record<OutcomeView["kind"], Look> = {
  merged: { sign: "✓", name: "Merged", colour: "text-good" },
  landed: { sign: "✓", name: "Landed by hand", colour: "text-good" },
  closed: { sign: "■", name: "Closed", colour: "text-muted" },
  reverted: { sign: "✗", name: "Reverted", colour: "text-bad" },
  reapplied: { sign: "✓", name: "Reapplied", colour: "text-good" },
  suspected_revert: { sign: "?", name: "Reverted?", colour: "text-accent-text" },
};

/** Texts of the server's evidence signs. */
const SIGNS: Record<string, string> = {
  commit: "a commit says that it reverts this one",
  pull: "a pull request says that it reverts this one",
  branch: "it comes from a branch of the forge's Revert button",
  title: "its title is the revert of this one's",
  content: "its content undoes the change",
  patch: "exactly the same change",
  picked: "it was cherry-picked from this commit",
  number: "it names this pull request",
};

/** Describes the evidence. It contains untrusted text. */
export function evidenceOf({ evidence, by, kind, confirmed }: OutcomeView): string[] {
  const { sign, commit, by_pull: pull, reason, base, self_merge: own, as_published: as } = evidence;
  const texts: (string | false)[] = [
    typeof reason === "string" && reason,
    typeof sign === "string" && typeof reason !== "string" && (SIGNS[sign] ?? sign),
    by !== "" && `by ${by}`,
    own === true && "who requested it",
    typeof base === "string" && kind === "merged" && `into ${base}`,
    as === false && "with commits that are not the champion's",
    typeof pull === "number" && `in pull request #${pull}`,
    typeof commit === "string" && commit !== "" && `commit ${commit.slice(0, 10)}`,
    kind === "suspected_revert" && confirmed === true && "confirmed by a person",
    kind === "suspected_revert" && confirmed === false && "denied by a person",
  ];
  return texts.filter((text): text is string => typeof text === "string" && text !== "");
}

/** URL of the commit that is the evidence. */
export function commitUrl(repoUrl: string, { evidence: { commit } }: OutcomeView): string {
  const isOne = typeof commit === "string" && /^[0-9a-f]{7,64}$/.test(commit);
  return isOne && repoUrl ? `${repoUrl}/commit/${commit}` : "";
}
