import { FormSection } from "@/features/new-solve/form/FormSection";
import type { Limit } from "@/features/new-solve/state/draft";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { CONTROL, Field } from "@/ui/Field";

interface LimitField {
  name: Limit;
  label: string;
  unit: string;
  whole?: boolean;
}

const FIELDS: readonly LimitField[] = [
  { name: "budget_usd", label: "Budget", unit: "dollars for all runs" },
  { name: "run_budget_usd", label: "Per run", unit: "dollars per run" },
  { name: "max_parallel", label: "At a time", unit: "runs", whole: true },
  { name: "max_runs", label: "Contestants", unit: "at most", whole: true },
  { name: "time_budget_s", label: "Time", unit: "minutes for all runs" },
  { name: "run_time_budget_s", label: "Time per run", unit: "minutes per run" },
  { name: "max_steps", label: "Steps", unit: "model calls per run", whole: true },
];

export function LimitFields({ newSolve: { draft, change, error } }: { newSolve: NewSolve }) {
  return (
    <FormSection number={4} title="Limits" aside="leave empty for the server's default">
      <div className="grid grid-cols-2 items-start gap-4 @xl:grid-cols-4">
        {FIELDS.map(({ name, label, unit, whole }) => (
          <Field key={name} label={label} hint={unit} error={error(`limits.${name}`)}>
            {(wired) => (
              <input
                {...wired}
                name={`limits.${name}`}
                inputMode={whole ? "numeric" : "decimal"}
                value={draft.limits[name]}
                onChange={(event) =>
                  change(`limits.${name}`, (before) => ({
                    ...before,
                    limits: { ...before.limits, [name]: event.target.value },
                  }))
                }
                placeholder="default"
                autoComplete="off"
                className={`${CONTROL} text-right tabular-nums`}
              />
            )}
          </Field>
        ))}
      </div>
    </FormSection>
  );
}
