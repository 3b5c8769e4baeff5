import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { costQuery } from "@/api/queries/installation";
import type { CostView } from "@/api/types";
import { CostByDay } from "@/features/cost/CostByDay";
import { CostTable } from "@/features/cost/CostTable";
import { count, money } from "@/lib/format";
import { useTitle } from "@/lib/useTitle";
import { StaleNotice } from "@/ui/StaleNotice";
import { Empty, Failure, Skeleton } from "@/ui/states";

const SPANS = [7, 30, 90, 365] as const;

export function Component() {
  useTitle("Cost");
  const [params, setParams] = useSearchParams();
  const requested = Number(params.get("days"));
  const days = SPANS.find((span) => span === requested) ?? 30;
  const query = useQuery({ ...costQuery(days), placeholderData: keepPreviousData });
  return (
    <div className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center gap-4">
        <h1 className="text-lg font-semibold">Cost</h1>
        <fieldset className="flex gap-1">
          <legend className="sr-only">How far back</legend>
          {SPANS.map((span) => (
            <button
              key={span}
              type="button"
              aria-pressed={span === days}
              onClick={() => setParams({ days: String(span) }, { replace: true })}
              className="min-h-8 rounded-md border border-transparent px-2.5 text-sm text-soft hover:text-text aria-pressed:border-control aria-pressed:bg-raised aria-pressed:text-text"
            >
              {span} days
            </button>
          ))}
        </fieldset>
      </header>
      {query.isPending && <Skeleton rows={5} />}
      {query.isError && !query.data && (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isError && query.data && (
        <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {query.data && <Spent cost={query.data} />}
    </div>
  );
}

function Spent({ cost }: { cost: CostView }) {
  if (cost.solves === 0) {
    return (
      <Empty
        title="Nothing was spent in this period"
        action={
          <Link to="/new" className="text-second underline">
            Start a solve
          </Link>
        }
      >
        The cost of solves appears here by day, model, strategy and repository.
      </Empty>
    );
  }
  const facts: [string, string][] = [
    ["spent", money(cost.total_usd)],
    ["for", count(cost.solves, "solve")],
    ["with", count(cost.champions, "champion")],
    ["per champion", cost.per_champion_usd === null ? "–" : money(cost.per_champion_usd)],
  ];
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name} className="card px-4 py-3">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-lg tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <CostByDay days={cost.days} />
      <div className="grid min-w-0 gap-4 lg:grid-cols-3">
        <CostTable title="Models" lines={cost.models} total={cost.total_usd} />
        <CostTable title="Strategies" lines={cost.strategies} total={cost.total_usd} />
        <CostTable title="Repositories" lines={cost.repos} total={cost.total_usd} />
      </div>
    </>
  );
}
