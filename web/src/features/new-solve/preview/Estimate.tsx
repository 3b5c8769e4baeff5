import type { Forecast } from "@/api/types";
import { cap, spanOfMoney, spanOfTime } from "@/features/new-solve/preview/counts";
import { lacking } from "@/features/new-solve/state/fieldErrors";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { count } from "@/lib/format";
import { Hostile } from "@/ui/Hostile";

const SHOWN = 100;

/** Cost and time before anything is spent; as high whether they are known or not. */
export function Estimate({ newSolve }: { newSolve: NewSolve }) {
  return <Tiles forecast={known(newSolve)} isAsking={newSolve.foreseen.isAsking} />;
}

/** Who starts, or why there is no estimate. */
export function EstimateNotes({ newSolve }: { newSolve: NewSolve }) {
  const forecast = known(newSolve);
  return (
    <>
      <WhyNot newSolve={newSolve} />
      {forecast && forecast.starting > 1 && <Starters forecast={forecast} />}
    </>
  );
}

function known({ foreseen, wrong }: NewSolve): Forecast | undefined {
  return lacking(wrong) || foreseen.error ? undefined : foreseen.forecast;
}

function WhyNot({ newSolve: { foreseen, wrong } }: { newSolve: NewSolve }) {
  const { error, again } = foreseen;
  const need = lacking(wrong);
  if (!need && !error) return null;
  return (
    <p className="text-xs break-words text-muted">
      {need && (
        <>
          The estimate needs <Hostile text={need} />.
        </>
      )}
      {!need && error && !error.isPassing && "No estimate: the server would refuse this."}
      {!need && error?.isPassing && (
        <>
          The estimate is not available: <Hostile text={error.message} />.{" "}
          <button
            type="button"
            onClick={again}
            className="min-h-6 text-text underline underline-offset-4"
          >
            Ask again
          </button>
        </>
      )}
    </p>
  );
}

interface TilesProps {
  forecast: Forecast | undefined;
  isAsking: boolean;
}

function Tiles({ forecast, isAsking }: TilesProps) {
  const values = forecast ? told(forecast) : NAMES.map(() => (isAsking ? "…" : "–"));
  return (
    <dl aria-busy={isAsking} className="grid grid-cols-2 gap-2">
      {NAMES.map((name, place) => (
        <div key={name} className="rounded-md border border-line bg-ground px-3 py-2">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className={`tabular-nums ${isAsking ? "text-soft" : "text-text"}`}>
            {values[place]}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const NAMES = ["estimate", "time", "at a time", "capped at"] as const;

function told(forecast: Forecast): string[] {
  const { free, cost_usd: cost, seconds } = forecast;
  return [
    free ? "free" : spanOfMoney(cost.low, cost.high),
    spanOfTime(seconds.low, seconds.high),
    String(Math.min(forecast.max_parallel, forecast.starting)),
    free ? "–" : cap(forecast.ceiling_usd),
  ];
}

function Starters({ forecast }: { forecast: Forecast }) {
  const hidden = forecast.starting - Math.min(forecast.contestants.length, SHOWN);
  return (
    <details className="min-w-0 text-xs">
      <summary className="text-soft hover:text-text">Who starts</summary>
      <ol
        aria-label="Who starts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
        tabIndex={0}
        className="mt-2 flex max-h-48 flex-col gap-0.5 overflow-y-auto text-muted"
      >
        {forecast.contestants.slice(0, SHOWN).map(({ handle }) => (
          <li key={handle} className="break-words">
            <Hostile text={handle} />
          </li>
        ))}
        {hidden > 0 && <li>and {count(hidden, "other")}</li>}
      </ol>
    </details>
  );
}
