import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { unpriced } from "@/features/new-solve/models/models";
import { axesOf, type TypedPrice } from "@/features/new-solve/state/draft";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { shown } from "@/lib/hostile";
import { CONTROL } from "@/ui/Field";

const SIDES = [
  { side: "input", word: "in" },
  { side: "output", word: "out" },
] as const;

/** Prices of models without a known price: a cost cap needs them. */
export function ModelPrices({ newSolve }: { newSolve: NewSolve }) {
  const { draft, models } = newSolve;
  if (!models.length) return null;
  return unpriced(models, axesOf(draft).models).map((name) => (
    <Price key={name} name={name} newSolve={newSolve} />
  ));
}

function Price({ name, newSolve: { draft, change, error } }: { name: string; newSolve: NewSolve }) {
  const field = `prices.${name}`;
  const typed = draft.prices[name] ?? { input: "", output: "" };
  const set = (side: keyof TypedPrice, value: string) =>
    change(field, (before) => ({
      ...before,
      prices: { ...before.prices, [name]: { ...typed, [side]: value } },
    }));
  return (
    <FieldGroup
      field={field}
      legend={`Price of ${shown(name)}`}
      hint="unknown: enter dollars per million tokens, or 0 and 0 if the model is free"
      error={error(field)}
    >
      <div className="flex flex-wrap gap-3">
        {SIDES.map(({ side, word }) => (
          <label key={side} className="flex items-center gap-2 text-sm text-soft">
            <span>$ {word}</span>
            <input
              name={field}
              inputMode="decimal"
              value={typed[side]}
              onChange={(event) => set(side, event.target.value)}
              autoComplete="off"
              className={`${CONTROL} max-w-24 text-right tabular-nums`}
            />
          </label>
        ))}
      </div>
    </FieldGroup>
  );
}
