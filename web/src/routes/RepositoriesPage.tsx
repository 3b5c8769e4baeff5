import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useSearchParams } from "react-router";
import type { ProblemError } from "@/api/problem";
import { forgeReposQuery } from "@/api/queries/forge";
import { ForgeLoginHint } from "@/features/repositories/ForgeLoginHint";
import { matching } from "@/features/repositories/filter";
import { RepositoryList } from "@/features/repositories/RepositoryList";
import { forgeName, hostOf } from "@/lib/forge";
import { count } from "@/lib/format";
import { useKeys } from "@/lib/useKeys";
import { useTitle } from "@/lib/useTitle";
import { Button } from "@/ui/Button";
import { CONTROL } from "@/ui/Field";
import { ForgeLink } from "@/ui/ForgeLink";
import { StaleNotice } from "@/ui/StaleNotice";
import { Empty, Failure, Skeleton } from "@/ui/states";

export function Component() {
  useTitle("Repositories");
  const query = useQuery(forgeReposQuery());
  const [params, setParams] = useSearchParams();
  const search = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => search.current?.focus() });
  const typed = params.get("q") ?? "";
  const type = (q: string) => setParams(q ? { q } : {}, { replace: true });
  const all = query.data?.repos ?? [];
  const found = matching(all, typed);
  return (
    <div className="flex flex-col gap-4">
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-2">
        <h1 className="text-lg font-semibold">Repositories</h1>
        {query.data && (
          <span className="text-xs text-muted">
            {count(all.length, "repository", "repositories")} at {hostOf(query.data.forge)}
          </span>
        )}
        {all.length > 0 && (
          <input
            ref={search}
            type="search"
            aria-label="Search repositories"
            placeholder="Search  /"
            value={typed}
            onChange={(event) => type(event.target.value)}
            className={`${CONTROL} ml-auto sm:w-64`}
          />
        )}
      </header>
      {query.isPending && <Skeleton rows={5} label="Asking the forge" />}
      {query.isError && !query.data && (
        <Trouble error={query.error as ProblemError} retry={() => void query.refetch()} />
      )}
      {query.isError && query.data && (
        <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {query.data && all.length === 0 && <None forge={query.data.forge} />}
      {all.length > 0 && found.length === 0 && (
        <Empty
          title="No repository matches"
          action={<Button onClick={() => type("")}>Show all</Button>}
        />
      )}
      {found.length > 0 && <RepositoryList repos={found} />}
    </div>
  );
}

function Trouble({ error, retry }: { error: ProblemError; retry: () => void }) {
  if (error.status === 403) return <ForgeLoginHint message={error.message} retry={retry} />;
  return <Failure error={error} retry={retry} />;
}

function None({ forge }: { forge: string }) {
  return (
    <Empty
      title="You have no repositories there"
      action={<ForgeLink url={forge}>Open {forgeName(forge)}</ForgeLink>}
    >
      Repositories that you own, work on or are invited to at {forgeName(forge)} appear here. You
      can also solve an issue of any other public repository: enter its name under New solve.
    </Empty>
  );
}
