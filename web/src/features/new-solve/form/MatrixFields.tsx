import type { UseQueryResult } from "@tanstack/react-query";
import { STRATEGIES } from "@/api/choices";
import type { ModelView } from "@/api/types";
import { Choice } from "@/features/new-solve/form/Choice";
import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { FormSection } from "@/features/new-solve/form/FormSection";
import { NumberChoice } from "@/features/new-solve/form/NumberChoice";
import { PresetButtons } from "@/features/new-solve/form/PresetButtons";
import { Switch } from "@/features/new-solve/form/Switch";
import { ModelPicker } from "@/features/new-solve/models/ModelPicker";
import { ModelPrices } from "@/features/new-solve/models/ModelPrices";
import { countOf, productOf } from "@/features/new-solve/preview/counts";
import { type Axes, axesOf, toggled, withArena, withAxes } from "@/features/new-solve/state/draft";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { count } from "@/lib/format";
import { Failure, Skeleton } from "@/ui/states";

const TEMPERATURES = [0, 0.2, 0.6, 1];
const EDITS = [3, 5, 10, 20];

interface Props {
  newSolve: NewSolve;
  modelsRequest: UseQueryResult<ModelView[]>;
}

/** The contestants: models × temperatures × edit limits × strategies, or one of each. */
export function MatrixFields({ newSolve, modelsRequest }: Props) {
  const { draft, change, error, models } = newSolve;
  const axes = axesOf(draft);
  const set = <A extends keyof Axes>(axis: A, values: Axes[A]) =>
    change(`matrix.${axis}`, (before) => withAxes(before, { [axis]: values }));
  return (
    <FormSection number={3} title="Who competes" aside={<Product newSolve={newSolve} />}>
      <Switch
        label="Arena"
        line={draft.arena ? "several contestants compete" : "a single contestant"}
        isOn={draft.arena}
        turn={(arena) => change("matrix.models", (before) => withArena(before, arena))}
      />
      {draft.arena && <PresetButtons newSolve={newSolve} />}
      {modelsRequest.isPending && <Skeleton rows={4} label="Loading the models" />}
      {modelsRequest.isError && (
        <Failure error={modelsRequest.error} retry={() => void modelsRequest.refetch()} />
      )}
      {!modelsRequest.isPending && (
        <ModelPicker
          models={models}
          chosen={axes.models}
          many={draft.arena}
          choose={(names) => set("models", names)}
          error={error("matrix.models")}
        />
      )}
      <ModelPrices newSolve={newSolve} />
      <Strategies newSolve={newSolve} />
      <div className="grid gap-4 @2xl:grid-cols-2">
        <NumberChoice
          legend={draft.arena ? "Temperatures" : "Temperature"}
          hint="0 is predictable, 1 and above more varied"
          name="matrix.temperatures"
          offered={TEMPERATURES}
          chosen={axes.temperatures}
          many={draft.arena}
          validate={(value) => (value > 2 ? "from 0 to 2" : null)}
          choose={(values) => set("temperatures", values)}
          error={error("matrix.temperatures")}
        />
        <NumberChoice
          legend="Max edits"
          hint="steps per run that may change files"
          name="matrix.max_edits"
          offered={EDITS}
          chosen={axes.max_edits}
          many={draft.arena}
          validate={editsError}
          choose={(values) => set("max_edits", values)}
          error={error("matrix.max_edits")}
        />
      </div>
    </FormSection>
  );
}

function editsError(value: number): string | null {
  return Number.isInteger(value) && value >= 1 && value <= 1000
    ? null
    : "a whole number, 1 to 1000";
}

function Product({ newSolve }: { newSolve: NewSolve }) {
  if (!newSolve.draft.arena) return null;
  const { total } = countOf(newSolve.draft, undefined);
  return (
    <>
      {productOf(newSolve.draft)} = <b className="text-text">{count(total, "contestant")}</b>
    </>
  );
}

function Strategies({ newSolve: { draft, change, error } }: { newSolve: NewSolve }) {
  const chosen = axesOf(draft).strategies;
  const choose = (name: (typeof chosen)[number]) =>
    change("matrix.strategies", (before) =>
      withAxes(before, { strategies: toggled(axesOf(before).strategies, name, before.arena) }),
    );
  return (
    <FieldGroup
      legend={draft.arena ? "Strategies" : "Strategy"}
      field="matrix.strategies"
      hint="the instructions a contestant gets"
      error={error("matrix.strategies")}
    >
      <div className="grid gap-2 @lg:grid-cols-2">
        {STRATEGIES.map(({ name, line }) => (
          <Choice
            key={name}
            name="matrix.strategies"
            many={draft.arena}
            isChosen={chosen.includes(name)}
            choose={() => choose(name)}
          >
            {name}
            <span className="block text-xs text-muted">{line}</span>
          </Choice>
        ))}
      </div>
    </FieldGroup>
  );
}
