import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ProblemError } from "@/api/problem";
import { reposQuery } from "@/api/queries/newSolve";
import { isActive, solvesQuery } from "@/api/queries/solves";
import { ActiveSolveCard } from "@/features/solves/ActiveSolveCard";
import { FilterBar } from "@/features/solves/FilterBar";
import { FirstSteps } from "@/features/solves/FirstSteps";
import { toFilter, useFilter } from "@/features/solves/filter";
import { SolvesTable } from "@/features/solves/SolvesTable";
import { useTitle } from "@/lib/useTitle";
import { Button } from "@/ui/Button";
import { StaleNotice } from "@/ui/StaleNotice";
import { Empty, Failure, Skeleton } from "@/ui/states";

const MOST_ACTIVE = 4;

export function Component() {
  useTitle("Solves");
  const { chosen, choose, isFiltered } = useFilter();
  const query = useInfiniteQuery(solvesQuery(toFilter(chosen)));
  const repos = useQuery(reposQuery());
  const solves = query.data?.pages.flatMap((page) => page.solves) ?? [];
  const active = solves.filter((solve) => isActive(solve.state)).slice(0, MOST_ACTIVE);
  const isEmpty = query.isSuccess && solves.length === 0;
  return (
    <div className="flex flex-col gap-4">
      <h1 className="sr-only">Solves</h1>
      {query.isError && query.data && (
        <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {active.length > 0 && (
        <section aria-labelledby="active" className="flex flex-col gap-2">
          <h2 id="active" className="text-xs text-muted">
            Running now
          </h2>
          <ul className="grid gap-3 lg:grid-cols-2 2xl:grid-cols-4">
            {active.map((solve, place) => (
              <ActiveSolveCard key={solve.id} solve={solve} place={place} />
            ))}
          </ul>
        </section>
      )}
      {(isFiltered || solves.length > 0) && (
        <FilterBar
          chosen={chosen}
          choose={choose}
          repos={repos.data?.map((repo) => repo.repo) ?? []}
        />
      )}
      {query.isPending && <Skeleton rows={6} />}
      {query.isError && !query.data && (
        <Failure error={query.error as ProblemError} retry={() => void query.refetch()} />
      )}
      {isEmpty && !isFiltered && <FirstSteps />}
      {isEmpty && isFiltered && (
        <Empty
          title="No solve matches these filters"
          action={<Button onClick={() => choose({ view: "", repo: "", q: "" })}>Show all</Button>}
        />
      )}
      {solves.length > 0 && <SolvesTable solves={solves} />}
      {query.hasNextPage && (
        <Button
          className="self-center"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older solves
        </Button>
      )}
    </div>
  );
}
