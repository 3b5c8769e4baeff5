import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import type { ProblemError } from "@/api/problem";
import { issuesQuery } from "@/api/queries/forge";
import type { RepoLine } from "@/api/types";
import { ForgeLoginHint } from "@/features/repositories/ForgeLoginHint";
import { useIssueFilter } from "@/features/repositories/filter";
import { IssueSearch } from "@/features/repositories/IssueSearch";
import { IssueTable } from "@/features/repositories/IssueTable";
import { solvePath } from "@/lib/forge";
import { useTitle } from "@/lib/useTitle";
import { Button } from "@/ui/Button";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";
import { StaleNotice } from "@/ui/StaleNotice";
import { Empty, Failure, Skeleton } from "@/ui/states";
import { Tag } from "@/ui/Tag";

export function Component() {
  const { owner = "", name = "" } = useParams();
  const { filter, choose, isFiltered } = useIssueFilter();
  const query = useQuery(issuesQuery({ owner, name }, filter));
  const repo = `${owner}/${name}`;
  useTitle(repo);
  const issues = query.data?.issues ?? [];
  const isPrevious = query.isPlaceholderData;
  const error = query.error as ProblemError | null;
  return (
    <div className="flex flex-col gap-4">
      <Head repo={repo} line={query.data?.repo} />
      <IssueSearch filter={filter} choose={choose} />
      {query.isPending && <Skeleton rows={6} label="Asking the forge" />}
      {error && (!query.data || isPrevious) && (
        <Trouble error={error} retry={() => void query.refetch()} />
      )}
      {error && query.data && !isPrevious && (
        <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {query.isSuccess && !isPrevious && issues.length === 0 && (
        <Empty
          title={isFiltered ? "No open issue matches" : "There are no open issues"}
          action={
            isFiltered ? (
              <Button onClick={() => choose({ q: "", label: "" })}>Show all</Button>
            ) : (
              <Link to={solvePath(repo)} className="text-second underline">
                Describe an issue in your own words
              </Link>
            )
          }
        />
      )}
      {issues.length > 0 && !(error && isPrevious) && (
        <IssueTable
          repo={repo}
          issues={issues}
          isDim={isPrevious}
          choose={(label) => choose({ label })}
        />
      )}
      {query.data && (filter.page > 1 || query.data.has_more) && (
        <nav aria-label="Pages" className="flex items-center justify-center gap-3 text-sm">
          <Button
            disabled={filter.page === 1}
            onClick={() => choose({ ...filter, page: filter.page - 1 })}
          >
            Newer
          </Button>
          <span className="text-muted tabular-nums">page {filter.page}</span>
          <Button
            busy={isPrevious}
            disabled={!query.data.has_more}
            onClick={() => choose({ ...filter, page: filter.page + 1 })}
          >
            Older
          </Button>
        </nav>
      )}
    </div>
  );
}

function Head({ repo, line }: { repo: string; line: RepoLine | undefined }) {
  return (
    <header className="flex min-w-0 flex-col gap-1">
      <p className="text-xs text-muted">
        <Link to="/repos" className="hover:text-text">
          repositories
        </Link>{" "}
        <span aria-hidden>/</span>
      </p>
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        <h1 className="min-w-0 text-lg font-semibold break-all">
          <Hostile text={line?.name ?? repo} />
        </h1>
        {line?.is_private && <Tag tone="accent">private</Tag>}
        {line?.is_archived && <Tag>archived</Tag>}
        {line && (
          <span className="flex flex-wrap gap-x-3 text-xs text-muted">
            <span>
              your role: {line.role}, default branch <Hostile text={line.default_branch} />
            </span>
            <ForgeLink url={line.url} className="hover:text-text hover:underline">
              at the forge
            </ForgeLink>
          </span>
        )}
      </div>
      {line?.description && (
        <p className="max-w-prose text-sm text-soft">
          <Hostile text={line.description} />
        </p>
      )}
      {line?.is_archived && (
        <p className="text-xs text-accent-text">
          This repository is archived: nothing can be published to it until it is unarchived.
        </p>
      )}
    </header>
  );
}

function Trouble({ error, retry }: { error: ProblemError; retry: () => void }) {
  if (error.status === 404) {
    return (
      <Empty
        title="This repository does not exist, or you do not have access to it"
        action={
          <Link to="/repos" className="text-second underline">
            Your repositories
          </Link>
        }
      >
        <Hostile text={error.message} />
      </Empty>
    );
  }
  if (error.status === 403) return <ForgeLoginHint message={error.message} retry={retry} />;
  return <Failure error={error} retry={retry} />;
}
