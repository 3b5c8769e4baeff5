import type { SolveView } from "@/api/types";
import { Hostile } from "@/ui/Hostile";
import { Markdown } from "@/ui/Markdown";
import { Empty, Skeleton } from "@/ui/states";

/** What was asked for, and how it is tested. */
export function IssueText({ facts }: { facts: SolveView | undefined }) {
  if (!facts) return <Skeleton rows={5} label="Loading the issue" />;
  return (
    <article className="card min-w-0 px-4 py-3 text-sm">
      <div className="max-w-[88ch]">
        <Markdown text={facts.issue_body || facts.issue_title} />
      </div>
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

export function Undecided() {
  return <Empty title="No champion yet">What it changes and proves is shown here then.</Empty>;
}
