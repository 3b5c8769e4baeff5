import { memo } from "react";
import { Link } from "react-router";
import type { PlaceEntry } from "@/api/types";
import { sansVerdict } from "@/features/solve/outcome/decision";
import { duration, money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { equalAnswers, proofWords, redToGreen } from "@/lib/verdicts";
import { Hostile } from "@/ui/Hostile";
import { StateBadge, VerdictBadge } from "@/ui/StateBadge";
import { Empty } from "@/ui/states";

interface Props {
  solveId: string;
  ranking: readonly PlaceEntry[];
  /** False if the solve was stopped before ranking; then runs keep their initial order. */
  isRanked: boolean;
  champion: string | null;
  notStarted: readonly string[];
  /** The limit that ended the budget, if any. */
  ended: string;
  hot: string;
  heat: (runId: string) => void;
  diff: (runId: string) => void;
}

const HEADS = ["fixed", "broken", "files", "lines", "size", "time", "cost"] as const;

/** The ranking, with the numbers behind it and a reason for each place. */
export function Scorecard(props: Props) {
  const { ranking, notStarted, ended } = props;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {ranking.length ? (
        <Table {...props} />
      ) : (
        <Empty title="No ranking yet">
          When all runs are verified, the ranking appears here, with a reason for each place.
        </Empty>
      )}
      {notStarted.length > 0 && <NotStarted handles={notStarted} ended={ended} />}
    </div>
  );
}

function Table({ solveId, ranking, isRanked, champion, hot, heat, diff }: Props) {
  const equals = equalAnswers(ranking);
  return (
    <section
      aria-label="Scorecard"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="card relative min-w-0 overflow-x-auto"
    >
      <table className="w-full min-w-[54rem] text-left text-sm">
        <thead className="text-xs text-muted">
          <tr className="border-b border-line [&>th]:px-2 [&>th]:py-1.5 [&>th]:font-normal">
            <th scope="col" className="text-right">
              rank
            </th>
            <th scope="col">contestant</th>
            <th scope="col">verdict</th>
            {HEADS.map((name) => (
              <th key={name} scope="col" className="text-right">
                {name}
              </th>
            ))}
            <th scope="col">why</th>
            <th scope="col">
              <span className="sr-only">actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {ranking.map((place) => (
            <Row
              key={place.run_id}
              solveId={solveId}
              place={place}
              equal={equals.get(place.handle) ?? ""}
              isRanked={isRanked}
              isChampion={place.run_id === champion}
              isHot={place.run_id === hot}
              heat={heat}
              diff={diff}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  solveId: string;
  place: PlaceEntry;
  /** Handle of the better place with the same answer, if any. */
  equal: string;
  isRanked: boolean;
  isChampion: boolean;
  isHot: boolean;
  heat: (runId: string) => void;
  diff: (runId: string) => void;
}

const Row = memo(function Row({
  solveId,
  place,
  equal,
  isRanked,
  isChampion,
  isHot,
  heat,
  diff,
}: RowProps) {
  const { verdict } = place;
  const fixed = new Set([...verdict.fixed, ...redToGreen(verdict)]).size;
  const handle = shown(place.handle);
  const proof = equal ? "" : proofWords(verdict);
  return (
    <tr
      onPointerEnter={() => heat(place.run_id)}
      className={`[&>td]:px-2 [&>td]:py-1.5 [&>th]:px-2 [&>th]:py-1.5 ${isHot ? "bg-raised" : isChampion ? "bg-accent-ground" : ""}`}
    >
      <td className="text-right whitespace-nowrap tabular-nums">
        {isChampion && (
          <span aria-hidden className="text-accent-text">
            ★{" "}
          </span>
        )}
        {isRanked ? place.rank : "–"}
      </td>
      <th scope="row" className="font-normal whitespace-nowrap">
        <Link
          to={`/solves/${solveId}/runs/${place.run_id}`}
          className={`hover:underline ${isChampion ? "font-semibold text-accent-text" : ""}`}
        >
          <Hostile text={place.handle} />
          {isChampion && <span className="sr-only"> (champion)</span>}
        </Link>
      </th>
      <td>
        {place.state === "completed" ? (
          <VerdictBadge status={verdict.status} />
        ) : (
          <StateBadge state={place.state} />
        )}
      </td>
      <Figure value={fixed} colour="text-good" />
      <Figure value={verdict.broken.length} colour="text-bad" />
      <Figure value={place.files_changed} />
      <Figure value={place.lines_changed} />
      <Figure value={place.size} />
      <td className="text-right tabular-nums">{duration(place.latency_ms / 1000)}</td>
      <td className="text-right tabular-nums">{money(place.cost_usd)}</td>
      <td className="min-w-52 text-soft [overflow-wrap:anywhere]">
        <Hostile
          text={equal ? `same answer as ${equal}` : sansVerdict(place.why, verdict.status)}
        />
        {proof && <span className="block text-xs text-muted first-letter:uppercase">{proof}</span>}
      </td>
      <td className="text-right">
        {place.files_changed > 0 && (
          <button
            type="button"
            aria-label={`Diff of ${handle}`}
            onClick={() => diff(place.run_id)}
            className="min-h-6 rounded px-2 text-xs text-second hover:underline"
          >
            diff
          </button>
        )}
      </td>
    </tr>
  );
});

function Figure({ value, colour = "" }: { value: number; colour?: string }) {
  return <td className={`text-right tabular-nums ${value ? colour : "text-muted"}`}>{value}</td>;
}

function NotStarted({ handles, ended }: { handles: readonly string[]; ended: string }) {
  return (
    <details className="card px-3 py-2 text-sm">
      <summary>
        {handles.length} not started
        {ended && (
          <span className="text-muted">
            {" "}
            · <Hostile text={ended} />
          </span>
        )}
      </summary>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
        {handles.map((handle) => (
          <li key={handle}>
            <Hostile text={handle} />
          </li>
        ))}
      </ul>
    </details>
  );
}
