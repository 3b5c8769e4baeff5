import { useQuery } from "@tanstack/react-query";
import { previewQuery } from "@/api/queries/forge";
import { useMe } from "@/api/queries/me";
import type { IssuePreview as Preview } from "@/api/types";
import { previewedIssue } from "@/features/new-solve/preview/previewedIssue";
import type { Draft } from "@/features/new-solve/state/draft";
import { usePaused } from "@/features/new-solve/state/useForecast";
import { count } from "@/lib/format";
import { leftOut } from "@/lib/issueFacts";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";
import { Markdown } from "@/ui/Markdown";
import { Failure, Skeleton } from "@/ui/states";
import { Tag } from "@/ui/Tag";

/** The issue as contestants will read it. */
export function IssuePreview({ draft }: { draft: Draft }) {
  const { forge_url: forge } = useMe();
  const now = JSON.stringify(previewedIssue(draft, forge));
  const paused = usePaused(now);
  const query = useQuery(previewQuery(JSON.parse(paused)));
  if (now === "null") return null;
  if (query.isError && now === paused) {
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  }
  if (!query.data || now !== paused) return <Skeleton rows={3} label="Loading the issue" />;
  return <Shown preview={query.data} />;
}

function Shown({ preview }: { preview: Preview }) {
  const { issue, facts } = preview;
  return (
    <article
      aria-label="What contestants will read"
      className="min-w-0 rounded-md border border-line"
    >
      <header className="flex min-w-0 flex-col gap-1 border-b border-line px-3 py-2">
        <h3 className="min-w-0 text-sm font-semibold break-words">
          <Hostile text={issue.title} />
        </h3>
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1 text-xs text-muted">
          <Tag tone={preview.is_open ? "good" : "bad"}>{preview.is_open ? "open" : "closed"}</Tag>
          {preview.labels.map((label) => (
            <Tag key={label}>
              <Hostile text={label} />
            </Tag>
          ))}
          <span>
            by <Hostile text={facts.author} />
          </span>
          <ForgeLink url={facts.url} className="hover:text-text hover:underline">
            at the forge
          </ForgeLink>
        </p>
      </header>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="max-h-72 min-w-0 overflow-y-auto px-3 py-2 text-sm"
      >
        {issue.body ? (
          <Markdown text={issue.body} />
        ) : (
          <p className="text-muted">
            This issue has no description: contestants get only its title.
          </p>
        )}
      </div>
      <Notes preview={preview} />
    </article>
  );
}

function Notes({ preview: { facts, tokens } }: { preview: Preview }) {
  const omissions = leftOut(facts);
  return (
    <footer className="flex flex-col gap-1 border-t border-line px-3 py-2 text-xs text-muted">
      <p>
        This is what contestants read: about {count(tokens, "token")}
        {facts.comments_used > 0 && `, with ${count(facts.comments_used, "comment")}`}.
      </p>
      {omissions.length > 0 && (
        <ul className="text-accent-text">
          {omissions.map((words) => (
            <li key={words}>
              <span aria-hidden>! </span>
              {words}
            </li>
          ))}
        </ul>
      )}
    </footer>
  );
}
