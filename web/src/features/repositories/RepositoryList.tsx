import { Link } from "react-router";
import type { RepoLine } from "@/api/types";
import { age, count, date } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { useRowKeys } from "@/lib/useRowKeys";
import { Hostile } from "@/ui/Hostile";
import { Tag } from "@/ui/Tag";

const idOf = (repo: RepoLine) => `repo-${repo.name.replace("/", "-")}`;

/** Repositories in the forge's order: last pushed first. */
export function RepositoryList({ repos }: { repos: readonly RepoLine[] }) {
  const now = useNow(30_000) / 1000;
  const chosen = useRowKeys(repos.map(idOf));
  return (
    <ul aria-label="Repositories" className="flex flex-col gap-2">
      {repos.map((repo, place) => (
        <Row key={repo.name} repo={repo} now={now} place={place} isChosen={place === chosen} />
      ))}
    </ul>
  );
}

interface RowProps {
  repo: RepoLine;
  now: number;
  place: number;
  isChosen: boolean;
}

function Row({ repo, now, place, isChosen }: RowProps) {
  return (
    <li
      id={idOf(repo)}
      aria-current={isChosen || undefined}
      className="card-live enter min-w-0 aria-[current]:shadow-[inset_2px_0_0_var(--accent)]"
      style={{ "--place": place } as React.CSSProperties}
    >
      <Link to={`/repos/${repo.name}`} className="flex min-w-0 flex-col gap-1 px-4 py-2.5">
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="min-w-0 font-medium break-all">
            <Hostile text={repo.name} />
          </span>
          {repo.is_private && <Tag tone="accent">private</Tag>}
          {repo.is_archived && <Tag>archived</Tag>}
          <span className="ml-auto flex flex-wrap gap-x-4 text-xs text-soft tabular-nums">
            <span title="Your role there">{repo.role}</span>
            <span>{count(repo.open_issues, "open issue")}</span>
            {repo.pushed_at !== null && (
              <time
                dateTime={new Date(repo.pushed_at * 1000).toISOString()}
                title={`Pushed ${date(repo.pushed_at)}`}
              >
                {age(now - repo.pushed_at)}
              </time>
            )}
          </span>
        </span>
        {repo.description && (
          <span className="truncate text-xs text-muted">
            <Hostile text={repo.description} />
          </span>
        )}
      </Link>
    </li>
  );
}
