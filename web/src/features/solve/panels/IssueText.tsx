import type { IssueFacts, SolveView } from "@/api/types";
import { count, date } from "@/lib/format";
import { leftOut } from "@/lib/issueFacts";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";
import { Markdown } from "@/ui/Markdown";
import { Empty, Skeleton } from "@/ui/states";

/** The issue text and the test command. */
export function IssueText({ facts }: { facts: SolveView | undefined }) {
  if (!facts) return <Skeleton rows={5} label="Loading the issue" />;
  return (
    <article className="card min-w-0 px-4 py-3 text-sm">
      <div className="max-w-[88ch]">
        <Markdown text={facts.issue_body || facts.issue_title} />
      </div>
      {facts.issue_facts && <IssueSource facts={facts.issue_facts} />}
      {facts.test_command && (
        <p className="mt-3 border-t border-line pt-2 text-xs break-words text-muted">
          tested with{" "}
          <code className="text-soft">
            <Hostile text={facts.test_command} />
          </code>
        </p>
      )}
    </article>
  );
}

/** The issue was read once. Later changes at the forge are not included. */
function IssueSource({ facts }: { facts: IssueFacts }) {
  const omissions = leftOut(facts);
  return (
    <div className="mt-3 flex flex-col gap-1 border-t border-line pt-2 text-xs text-muted">
      <p>
        <ForgeLink url={facts.url}>The issue</ForgeLink> by <Hostile text={facts.author} />, as of{" "}
        {date(facts.taken_at)}
        {facts.comments_used > 0 && `, with ${count(facts.comments_used, "comment")}`}.
      </p>
      {omissions.length > 0 && (
        <p className="text-accent-text">Left out: {omissions.join("; ")}.</p>
      )}
    </div>
  );
}

export function Undecided() {
  return <Empty title="No champion yet">The champion's changes and proof will appear here.</Empty>;
}
