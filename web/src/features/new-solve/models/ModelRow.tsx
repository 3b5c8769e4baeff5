import type { ModelView } from "@/api/types";
import { dollars } from "@/features/new-solve/models/models";
import { Hostile } from "@/ui/Hostile";

interface Props {
  model: ModelView;
  many: boolean;
  isChosen: boolean;
  choose: () => void;
}

export function ModelRow({ model, many, isChosen, choose }: Props) {
  const slash = model.name.lastIndexOf("/") + 1;
  return (
    <li className="min-w-0">
      <label className="flex min-h-7 min-w-0 cursor-pointer items-center gap-2 rounded px-2 py-0.5 text-sm hover:bg-raised has-checked:bg-accent-ground">
        <input
          type={many ? "checkbox" : "radio"}
          name="matrix.models"
          checked={isChosen}
          onChange={choose}
          className="size-3.5 shrink-0 accent-(--accent)"
        />
        <span className="min-w-0 grow break-words">
          {slash > 0 && (
            <span className="text-muted">
              <Hostile text={model.name.slice(0, slash)} />
            </span>
          )}
          <Hostile text={model.name.slice(slash)} />
        </span>
        <Price model={model} />
      </label>
    </li>
  );
}

function Price({ model: { price } }: { model: ModelView }) {
  if (!price) return <span className="shrink-0 text-xs text-accent-text">price unknown</span>;
  if (!price.input_usd && !price.output_usd) {
    return <span className="shrink-0 text-xs text-good">free</span>;
  }
  return (
    <span className="flex shrink-0 text-xs text-soft tabular-nums">
      <span className="w-14 text-right">
        {dollars(price.input_usd)}
        <span className="sr-only"> in, </span>
      </span>
      <span className="w-15 text-right">
        {dollars(price.output_usd)}
        <span className="sr-only"> out</span>
      </span>
    </span>
  );
}
