import type { PublicationView } from "@/api/types";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";
import { Tag } from "@/ui/Tag";

const STATES = {
  draft: { tone: "plain", words: "○ draft" },
  open: { tone: "good", words: "● open" },
  merged: { tone: "second", words: "✓ merged" },
  closed: { tone: "bad", words: "■ closed" },
} as const;

export function stateOf(publication: PublicationView): keyof typeof STATES | null {
  if (publication.pull_number === null) return null;
  const state = publication.pull_state ?? "open";
  return state === "open" && publication.is_draft ? "draft" : state;
}

export function PullBadge({ publication }: { publication: PublicationView }) {
  const state = stateOf(publication);
  return state && <Tag tone={STATES[state].tone}>{STATES[state].words}</Tag>;
}

/** Links to the parts of the pull request, or their names if they have no page. */
export function PullFacts({ publication }: { publication: PublicationView }) {
  return (
    <dl className="flex min-w-0 flex-wrap gap-x-6 gap-y-1 text-sm">
      {factsOf(publication).map(([name, url, text]) => (
        <div key={name} className="flex min-w-0 gap-2 first:basis-full">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            {url ? (
              <ForgeLink url={url}>
                <Hostile text={text} />
              </ForgeLink>
            ) : (
              <Hostile text={text} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Fact = [name: string, url: string, text: string];

export function factsOf(publication: PublicationView): Fact[] {
  const { pull_number: number, head_repo: head, repo_url: home, branch, commit } = publication;
  const isFork = head !== "" && !home.endsWith(`/${head}`);
  const there = isFork ? home.replace(/[^/]+\/[^/]+$/, head) : home;
  const name = isFork ? `${head}:${branch}` : branch;
  const pull = `#${number} ${publication.pull_title}`;
  const facts: (Fact | false)[] = [
    number !== null && ["pull request", publication.pull_url, pull],
    branch !== "" && ["branch", commit && `${there}/tree/${branch}`, name],
    commit !== "" && ["commit", `${there}/commit/${commit}`, commit.slice(0, 10)],
    publication.base_branch !== "" && ["into", "", publication.base_branch],
    publication.comment_url !== "" && ["comment", publication.comment_url, "on the issue"],
  ];
  return facts.filter((fact): fact is Fact => fact !== false);
}
