import { Link } from "react-router";
import { needsYou } from "@/api/queries/solves";
import type { SolveSummary } from "@/api/types";
import { age, count, date, money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { useNow } from "@/lib/useNow";
import { useRowKeys } from "@/lib/useRowKeys";
import { Hostile } from "@/ui/Hostile";
import { SolveBadge } from "@/ui/StateBadge";

const HEAD = "px-3 py-2 text-left font-normal whitespace-nowrap";
const CELL = "px-3 py-2 align-baseline";

const idOf = (solve: SolveSummary) => `solve-${solve.id}`;

/** One row per solve. `j` and `k` move, `o` and Enter open. */
export function SolvesTable({ solves }: { solves: readonly SolveSummary[] }) {
  const now = useNow(10_000) / 1000;
  const chosen = useRowKeys(solves.map(idOf));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section aria-label="Solves" tabIndex={0} className="card overflow-x-auto">
      <table className="w-full min-w-[56rem] text-sm">
        <thead className="border-b border-line text-xs text-muted">
          <tr>
            <th className={HEAD}>Issue</th>
            <th className={HEAD}>Repository</th>
            <th className={`${HEAD} text-right`}>Contestants</th>
            <th className={HEAD}>Champion</th>
            <th className={`${HEAD} text-right`}>Tests</th>
            <th className={`${HEAD} text-right`}>Cost</th>
            <th className={`${HEAD} text-right`}>Age</th>
            <th className={HEAD}>State</th>
          </tr>
        </thead>
        <tbody>
          {solves.map((solve, place) => (
            <Row key={solve.id} solve={solve} now={now} chosen={place === chosen} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ solve, now, chosen }: { solve: SolveSummary; now: number; chosen: boolean }) {
  const { progress, tests } = solve;
  return (
    <tr
      id={idOf(solve)}
      aria-current={chosen || undefined}
      className="border-t border-line first:border-0 hover:bg-raised aria-[current]:bg-raised aria-[current]:shadow-[inset_2px_0_0_var(--accent)]"
    >
      <td className={`${CELL} max-w-96`}>
        <Link
          to={`/solves/${solve.id}`}
          title={shown(solve.issue)}
          className="block truncate font-medium hover:text-accent-text hover:underline"
        >
          <Hostile text={solve.issue} />
        </Link>
      </td>
      <td className={`${CELL} max-w-56 truncate text-soft`} title={shown(solve.repo)}>
        <Hostile text={solve.repo} />
      </td>
      <td className={`${CELL} text-right tabular-nums`}>
        <span title={`${count(progress.completed, "run")} completed, ${progress.failed} failed`}>
          {progress.total}
        </span>
      </td>
      <td className={`${CELL} max-w-64 truncate`}>
        {solve.champion ? (
          <span className="text-accent-text" title={shown(solve.champion_handle)}>
            <span aria-hidden>★ </span>
            <Hostile text={solve.champion_handle} />
          </span>
        ) : (
          <span className="text-muted" title={shown(solve.reason)}>
            none
          </span>
        )}
      </td>
      <td className={`${CELL} text-right tabular-nums`}>
        {tests ? `${tests.passed}/${tests.total}` : <span className="text-muted">–</span>}
      </td>
      <td className={`${CELL} text-right tabular-nums`}>{money(solve.cost_usd)}</td>
      <td className={`${CELL} text-right text-soft tabular-nums`}>
        <time
          dateTime={new Date(solve.created_at * 1000).toISOString()}
          title={date(solve.created_at)}
        >
          {age(now - solve.created_at)}
        </time>
      </td>
      <td className={CELL}>
        <SolveBadge state={solve.state} needsYou={needsYou(solve)} />
      </td>
    </tr>
  );
}
