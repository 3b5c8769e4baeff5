import { useMemo } from "react";
import { type Row, scoreRows } from "@/features/compare/scores";
import type { Comparison } from "@/features/compare/useCompare";

interface Props {
  comparison: Comparison;
  reducer: string;
}

/** The scores of both runs: rules first, in order. The first rule that differs decides. */
export function ScoreTable({ comparison, reducer }: Props) {
  const { a, b, isHidden } = comparison;
  const rows = useMemo(() => scoreRows(a.run, b.run, reducer), [a.run, b.run, reducer]);
  const shown = isHidden ? rows.filter((row) => !row.isTelling) : rows;
  const decider = rows.find((row) => row.decides);
  return (
    <section aria-label="Scorecards" className="card min-w-0 p-4">
      <h2 className="text-sm font-semibold">Scorecards</h2>
      <p className="mb-2 text-xs text-soft">{isHidden ? HIDDEN : summary(rows, decider)}</p>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            <th scope="col" className="py-1 pr-2 font-normal">
              Rule
            </th>
            <th scope="col" className="px-2 py-1 text-right font-normal">
              A
            </th>
            <th scope="col" className="py-1 pl-2 text-right font-normal">
              B
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Score key={`${row.name}${row.rule}`} row={row} isHidden={isHidden} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const HIDDEN = "The ranking is hidden until you choose.";

function summary(rows: readonly Row[], decider: Row | undefined): string {
  if (decider) return `${decider.ahead} is ahead by rule ${decider.rule}: ${decider.name}.`;
  const isJudged = rows.every(
    (row) => row.name !== "verdict" || !`${row.a}${row.b}`.includes("not yet"),
  );
  return isJudged ? "A and B are equal by every rule." : "One of the runs is not verified yet.";
}

function Score({ row, isHidden }: { row: Row; isHidden: boolean }) {
  const decides = row.decides && !isHidden;
  return (
    <tr className={`border-b border-line last:border-0 ${decides ? "bg-accent-ground" : ""}`}>
      <th scope="row" className="py-1 pr-2 text-left font-normal text-soft">
        <span aria-hidden className="inline-block w-[3ch] text-muted tabular-nums">
          {row.rule ?? "·"}
        </span>
        {row.name}
        {decides && (
          <span className="ml-2 text-xs whitespace-nowrap text-accent-text">◆ decides</span>
        )}
      </th>
      <Value text={row.a} isAhead={!isHidden && row.ahead === "A"} />
      <Value text={row.b} isAhead={!isHidden && row.ahead === "B"} />
    </tr>
  );
}

function Value({ text, isAhead }: { text: string; isAhead: boolean }) {
  return (
    <td
      className={`px-2 py-1 text-right whitespace-nowrap tabular-nums last:pr-0 ${isAhead ? "text-good" : ""}`}
    >
      {isAhead && (
        <>
          <span aria-hidden>✓ </span>
          <span className="sr-only">better: </span>
        </>
      )}
      {text}
    </td>
  );
}
