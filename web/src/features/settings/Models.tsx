import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { modelsQuery } from "@/api/queries/models";
import type { ModelView } from "@/api/types";
import { CONTROL } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";

const HEAD = "px-3 py-1.5 font-normal";

/** Models with their providers and prices. */
export function Models() {
  const query = useQuery(modelsQuery());
  const [typed, setTyped] = useState("");
  const models = query.data?.filter((model) => text(model).includes(typed.toLowerCase())) ?? [];
  return (
    <section aria-labelledby="models" className="card flex min-w-0 flex-col gap-3 p-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="models" className="font-semibold">
          Models and prices
        </h2>
        <input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className={`${CONTROL} w-48`}
        />
      </header>
      {query.isPending && <Skeleton rows={5} />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        <section aria-label="Prices" tabIndex={0} className="max-h-96 overflow-auto">
          <table className="w-full min-w-[36rem] text-sm">
            <thead className="text-left text-xs text-muted">
              <tr>
                <th className={HEAD}>Name</th>
                <th className={HEAD}>Aliases</th>
                <th className={`${HEAD} text-right`}>In</th>
                <th className={`${HEAD} text-right`}>Out</th>
                <th className={HEAD}>Provider</th>
              </tr>
            </thead>
            <tbody>
              {models.map((model) => (
                <Row key={model.name} model={model} />
              ))}
            </tbody>
          </table>
          {models.length === 0 && <p className="p-3 text-sm text-muted">No model has that name.</p>}
        </section>
      )}
      <p className="text-xs text-muted">
        Dollars per million tokens. Change them with <code>yudai models set</code>.
      </p>
    </section>
  );
}

function Row({ model }: { model: ModelView }) {
  const { price } = model;
  return (
    <tr className="border-t border-line">
      <td className="px-3 py-1.5">
        <Hostile text={model.name} />
        {model.edited && <span className="ml-2 text-xs text-accent-text">edited</span>}
      </td>
      <td className="px-3 py-1.5 text-xs text-muted">
        <Hostile text={model.aliases.join(", ")} />
      </td>
      <td className="px-3 py-1.5 text-right tabular-nums">{price ? price.input_usd : "?"}</td>
      <td className="px-3 py-1.5 text-right tabular-nums">{price ? price.output_usd : "?"}</td>
      <td className="px-3 py-1.5 text-soft">{model.provider}</td>
    </tr>
  );
}

function text(model: ModelView): string {
  return `${model.name} ${model.aliases.join(" ")} ${model.provider}`.toLowerCase();
}
