import { useSearchParams } from "react-router";
import type { RunView, SolveView } from "@/api/types";
import { bestFirst, type Letter } from "@/features/compare/pair";
import type { Comparison } from "@/features/compare/useCompare";
import { shown } from "@/lib/hostile";
import { SAME_PLACE, withParams } from "@/lib/searchParams";
import { Button } from "@/ui/Button";
import { CONTROL, Field } from "@/ui/Field";

interface Props {
  view: SolveView;
  comparison: Comparison;
  isBlind: boolean;
}

/** Selects the two contestants, and whether their names are hidden. */
export function PairPicker({ view, comparison, isBlind }: Props) {
  const [, setParams] = useSearchParams();
  const { a, b } = comparison;
  const runs = bestFirst(view);
  const pick = (first: string, second: string) =>
    setParams((before) => withParams(before, { a: first, b: second }), SAME_PLACE);
  const blind = (on: boolean) =>
    setParams((before) => withParams(before, { blind: on ? "1" : "" }), SAME_PLACE);
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
      {!isBlind && (
        <div className="grid min-w-0 grow grid-cols-1 items-end gap-x-3 gap-y-2 sm:grid-cols-[1fr_auto_1fr]">
          <Choice
            letter="A"
            runs={runs}
            champion={view.solve.champion}
            chosen={a.run.id}
            choose={(id) => pick(id, id === b.run.id ? a.run.id : b.run.id)}
          />
          <Button
            className="justify-self-start"
            onClick={() => pick(b.run.id, a.run.id)}
            aria-label="Swap A and B"
          >
            ⇄
          </Button>
          <Choice
            letter="B"
            runs={runs}
            champion={view.solve.champion}
            chosen={b.run.id}
            choose={(id) => pick(id === a.run.id ? b.run.id : a.run.id, id)}
          />
        </div>
      )}
      <label className="inline-flex min-h-8 cursor-pointer items-center gap-1.5 text-sm text-soft">
        <input
          type="checkbox"
          checked={isBlind}
          onChange={(event) => blind(event.target.checked)}
          className="size-4 accent-accent"
        />
        Blind: hide names
      </label>
    </div>
  );
}

interface ChoiceProps {
  letter: Letter;
  runs: readonly RunView[];
  champion: string | null;
  chosen: string;
  choose: (id: string) => void;
}

function Choice({ letter, runs, champion, chosen, choose }: ChoiceProps) {
  return (
    <Field label={`Contestant ${letter}`}>
      {(wired) => (
        <select
          {...wired}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
          className={CONTROL}
        >
          {runs.map((run) => (
            <option key={run.id} value={run.id}>
              {option(run, champion)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function option(run: RunView, champion: string | null): string {
  const star = run.id === champion ? "★ " : "";
  const rank = run.rank === null ? "" : `${run.rank}. `;
  return `${star}${rank}${shown(run.handle)} (${run.verdict?.status ?? run.state})`;
}
