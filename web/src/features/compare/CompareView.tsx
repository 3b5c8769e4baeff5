import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { SolveView } from "@/api/types";
import { ChooseDialog } from "@/features/compare/ChooseDialog";
import { CompareHeader } from "@/features/compare/CompareHeader";
import { PairPicker } from "@/features/compare/PairPicker";
import { Patches, type RenderFile } from "@/features/compare/Patches";
import { pairName, type Side } from "@/features/compare/pair";
import { ScoreTable } from "@/features/compare/ScoreTable";
import { TestSets } from "@/features/compare/TestSets";
import { useComparison } from "@/features/compare/useCompare";
import { SAME_PLACE, withParams } from "@/lib/searchParams";
import { useKeys } from "@/lib/useKeys";
import { Hostile } from "@/ui/Hostile";
import { Banner, Empty } from "@/ui/states";

interface Props {
  view: SolveView;
  /** Renders one file of a patch. */
  file: RenderFile;
}

/** Why a person chose this champion; null if the ranking did. */
function choiceOf({ events, solve }: SolveView): string | null {
  const event = events.findLast(({ kind }) => kind === "champion.chosen");
  return event?.run_id === solve.champion && event ? String(event.data.reason) : null;
}

/** Two contestants side by side, and the choice between them. */
export function CompareView({ view, file }: Props) {
  const [params, setParams] = useSearchParams();
  const isBlind = params.get("blind") === "1";
  const [revealed, reveal] = useState("");
  const comparison = useComparison(view, isBlind, revealed);
  const [candidate, setCandidate] = useState<Side | null>(null);
  const [chosen, setChosen] = useState<Side | null>(null);
  const choose = (side: Side | undefined) => {
    if (!comparison || !side || side.isChampion) return;
    const { a, b } = comparison;
    // Pins the pair in the URL: the default pair depends on the champion, which is about to change.
    setParams((before) => withParams(before, { a: a.run.id, b: b.run.id }), SAME_PLACE);
    setCandidate(side);
  };
  const [chooseA, chooseB] = [() => choose(comparison?.a), () => choose(comparison?.b)];
  useKeys({ a: chooseA, A: chooseA, b: chooseB, B: chooseB });
  if (!comparison) return <Alone solveId={view.solve.id} />;
  const pair = pairName(comparison.a.run.id, comparison.b.run.id);
  const done = (side: Side) => {
    reveal(pair);
    setChosen(side);
    setCandidate(null);
  };
  const choice = choiceOf(view);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PairPicker view={view} comparison={comparison} isBlind={isBlind} />
      {chosen && revealed === pair ? (
        <Banner>
          You chose {chosen.letter}: <Hostile text={chosen.run.handle} /> is the champion now.
        </Banner>
      ) : (
        choice !== null &&
        !comparison.isHidden && (
          <Banner>
            The champion was chosen by a person: <Hostile text={choice} />
          </Banner>
        )
      )}
      <CompareHeader solveId={view.solve.id} comparison={comparison} choose={choose} />
      <Patches comparison={comparison} file={file} />
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
        <TestSets comparison={comparison} />
        <ScoreTable comparison={comparison} reducer={view.reducer} />
      </div>
      {candidate && (
        <ChooseDialog
          solveId={view.solve.id}
          side={candidate}
          close={() => setCandidate(null)}
          done={() => done(candidate)}
        />
      )}
    </div>
  );
}

function Alone({ solveId }: { solveId: string }) {
  return (
    <Empty
      title="Nothing to compare"
      action={
        <Link to={`/solves/${solveId}`} className="text-second underline">
          Back to the solve
        </Link>
      }
    >
      A comparison needs two contestants, and this solve has fewer.
    </Empty>
  );
}
