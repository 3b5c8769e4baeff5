import { Link } from "react-router";
import type { IssueLine } from "@/api/types";
import { solvePath } from "@/lib/forge";
import { age, count, date } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { useRowKeys } from "@/lib/useRowKeys";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";

interface Props {
  repo: string;
  issues: readonly IssueLine[];
  isDim: boolean;
  choose: (label: string) => void;
}

const idOf = (issue: IssueLine) => `issue-${issue.number}`;

export function IssueTable({ repo, issues, isDim, choose }: Props) {
  const now = useNow(30_000) / 1000;
  const chosen = useRowKeys(issues.map(idOf));
  return (
    <ul aria-label="Issues" aria-busy={isDim} className="card min-w-0 divide-y divide-line">
      {issues.map((issue, place) => (
        <li
          key={issue.number}
          id={idOf(issue)}
          aria-current={place === chosen || undefined}
          className="flex min-w-0 flex-wrap items-start gap-x-4 gap-y-1.5 px-4 py-2.5 hover:bg-raised aria-[current]:bg-raised aria-[current]:shadow-[inset_2px_0_0_var(--accent)]"
        >
          <div className="flex min-w-0 grow basis-72 flex-col gap-1">
            <Link
              to={solvePath(repo, issue.number)}
              className="min-w-0 font-medium break-words hover:text-accent-text hover:underline"
            >
              <span className="text-muted tabular-nums">#{issue.number}</span>{" "}
              <Hostile text={issue.title} />
            </Link>
            <About issue={issue} now={now} choose={choose} />
          </div>
          <Link
            to={solvePath(repo, issue.number)}
            aria-label={`Solve #${issue.number}`}
            className="inline-flex min-h-8 items-center rounded-md border border-control bg-panel px-3 py-1 text-sm hover:border-accent-text"
          >
            Solve
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface AboutProps {
  issue: IssueLine;
  now: number;
  choose: (label: string) => void;
}

function About({ issue, now, choose }: AboutProps) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      {issue.labels.map((label) => (
        <button
          key={label}
          type="button"
          onClick={() => choose(label)}
          className="min-h-6 max-w-48 truncate rounded border border-line-strong px-1.5 text-soft hover:border-accent-text hover:text-text"
        >
          <span className="sr-only">Only with label </span>
          <Hostile text={label} />
        </button>
      ))}
      <span>
        by <Hostile text={issue.author} />
      </span>
      <time
        dateTime={new Date(issue.created_at * 1000).toISOString()}
        title={`Opened ${date(issue.created_at)}, changed ${date(issue.updated_at)}`}
      >
        {age(now - issue.created_at)} old
      </time>
      {issue.comments > 0 && <span>{count(issue.comments, "comment")}</span>}
      <ForgeLink url={issue.url} className="hover:text-text hover:underline">
        open at the forge
      </ForgeLink>
    </div>
  );
}
