import type { Forecast } from "@/api/types";
import { cap, spanOfMoney, spanOfTime } from "@/features/new-solve/preview/counts";
import { lacking } from "@/features/new-solve/state/fieldErrors";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { count } from "@/lib/format";
import { Hostile } from "@/ui/Hostile";

const SHOWN = 100;

/** Estimated cost and time. The height does not depend on whether they are known. */
export function Estimate({ newSolve }: { newSolve: NewSolve }) {
  return <Tiles forecast={known(newSolve)} isFetching={newSolve.forecastState.isFetching} />;
}

/** The contestants that start, or why there is no estimate. */
export function EstimateNotes({ newSolve }: { newSolve: NewSolve }) {
  const forecast = known(newSolve);
  return (
    <>
      <MissingEstimate newSolve={newSolve} />
      {forecast && forecast.starting > 1 && <StartingContestants forecast={forecast} />}
    </>
  );
}

function known({ forecastState, wrong }: NewSolve): Forecast | undefined {
  return lacking(wrong) || forecastState.error ? undefined : forecastState.forecast;
}

function MissingEstimate({ newSolve: { forecastState, wrong } }: { newSolve: NewSolve }) {
  const { error, retry } = forecastState;
  const need = lacking(wrong);
  if (!need && !error) return null;
  return (
    <p className="text-xs break-words text-muted">
      {need && (
        <>
          The estimate needs <Hostile text={need} />.
        </>
      )}
      {!need && error && !error.isPassing && "No estimate: the server would reject this request."}
      {!need && error?.isPassing && (
        <>
          The estimate is not available: <Hostile text={error.message} />.{" "}
          <button
            type="button"
            onClick={retry}
            className="min-h-6 text-text underline underline-offset-4"
          >
            Try again
          </button>
        </>
      )}
    </p>
  );
}

interface TilesProps {
  forecast: Forecast | undefined;
  isFetching: boolean;
}

function Tiles({ forecast, isFetching }: TilesProps) {
  const values = forecast ? tileValues(forecast) : NAMES.map(() => (isFetching ? "…" : "–"));
  return (
    <dl aria-busy={isFetching} className="grid grid-cols-2 gap-2">
      {NAMES.map((name, place) => (
        <div key={name} className="rounded-md border border-line bg-ground px-3 py-2">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className={`tabular-nums ${isFetching ? "text-soft" : "text-text"}`}>
            {values[place]}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const NAMES = ["estimate", "time", "at a time", "capped at"] as const;

function tileValues(forecast: Forecast): string[] {
  const { free, cost_usd: cost, seconds } = forecast;
  return [
    free ? "free" : spanOfMoney(cost.low, cost.high),
    spanOfTime(seconds.low, seconds.high),
    String(Math.min(forecast.max_parallel, forecast.starting)),
    free ? "–" : cap(forecast.ceiling_usd),
  ];
}

function StartingContestants({ forecast }: { forecast: Forecast }) {
  const hidden = forecast.starting - Math.min(forecast.contestants.length, SHOWN);
  return (
    <details className="min-w-0 text-xs">
      <summary className="text-soft hover:text-text">Contestants that start</summary>
      <ol
        aria-label="Contestants that start"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
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
