import { Link } from "react-router";
import type { Side } from "@/features/compare/pair";
import type { Comparison } from "@/features/compare/useCompare";
import { count, duration, money } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { StateBadge, VerdictBadge } from "@/ui/StateBadge";

interface Props {
  solveId: string;
  comparison: Comparison;
  choose: (side: Side) => void;
}

/** The two contestants, side by side at every width. */
export function CompareHeader({ solveId, comparison, choose }: Props) {
  return (
    <div className="grid grid-cols-2 gap-2 lg:gap-4">
      {[comparison.a, comparison.b].map((side) => (
        <Head
          key={side.letter}
          solveId={solveId}
          side={side}
          isHidden={comparison.isHidden}
          choose={() => choose(side)}
        />
      ))}
    </div>
  );
}

interface HeadProps {
  solveId: string;
  side: Side;
  isHidden: boolean;
  choose: () => void;
}

function Head({ solveId, side, isHidden, choose }: HeadProps) {
  const { run, letter, isChampion } = side;
  return (
    <section
      aria-label={`Contestant ${letter}`}
      className={`card flex min-w-0 flex-col gap-2 p-3 ${isChampion ? "border-accent" : ""}`}
    >
      <h2 className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-sm font-semibold">
        <Mark letter={letter} />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <Hostile text={side.name} />
        </span>
        {isChampion && (
          <span className="font-normal whitespace-nowrap text-accent-text">
            <span aria-hidden>★ </span>champion
          </span>
        )}
      </h2>
      <p className="min-w-0 text-xs text-muted [overflow-wrap:anywhere]">
        {isHidden ? (
          "Name, model and cost are hidden until you choose."
        ) : (
          <Hostile text={setting(side)} />
        )}
      </p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        {run.verdict ? (
          <VerdictBadge status={run.verdict.status} />
        ) : (
          <StateBadge state={run.state} />
        )}
        <span className="text-soft tabular-nums">
          {count(run.files_changed, "file")}, {count(run.lines_changed, "line")}
        </span>
        {!isHidden && (
          <span className="text-soft tabular-nums">
            {money(run.cost_usd)} · {duration(run.latency_ms / 1000)}
          </span>
        )}
      </div>
      <div className="mt-auto flex flex-wrap items-center gap-2">
        <Button onClick={choose} disabled={isChampion} aria-keyshortcuts={letter}>
          Choose {letter}
        </Button>
        {!isHidden && (
          <Link
            to={`/solves/${solveId}/runs/${run.id}`}
            className="inline-flex min-h-8 items-center px-1 text-sm text-second underline"
          >
            Trajectory<span className="sr-only"> of {letter}</span>
          </Link>
        )}
      </div>
    </section>
  );
}

function setting({ run }: Side): string {
  const { agent, author, model, temperature, max_edits, strategy } = run.contestant;
  if (agent === "patch") return `a patch by ${author}`;
  return `${model} · t${temperature} · ${count(max_edits, "edit")} · ${strategy}`;
}

export function Mark({ letter }: { letter: string }) {
  return (
    <span
      aria-hidden
      className="inline-flex size-5 shrink-0 items-center justify-center rounded bg-raised text-xs font-bold text-accent-text"
    >
      {letter}
    </span>
  );
}
