import {
  ceilingOf,
  countOf,
  estimateOf,
  startWords,
  totalOf,
} from "@/features/new-solve/preview/counts";
import { Estimate, EstimateNotes } from "@/features/new-solve/preview/Estimate";
import { nameOf } from "@/features/new-solve/state/fieldErrors";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { count } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

interface Props {
  newSolve: NewSolve;
  isSending: boolean;
}

/**
 * The summary and the start button. Everything that appears and disappears is below the button,
 * because a button that moves between press and release gets no click.
 */
export function Summary({ newSolve, isSending }: Props) {
  const { draft, forecastState, models, general } = newSolve;
  const fresh = forecastState.isFresh ? forecastState.forecast : undefined;
  const { total, starting } = countOf(draft, fresh);
  const most = fresh ? (fresh.free ? "free" : fresh.ceiling_usd) : ceilingOf(draft, models);
  return (
    <section aria-labelledby="ask-summary" className="card flex min-w-0 flex-col gap-4 p-4 sm:p-5">
      <h2 id="ask-summary" className="sr-only">
        Summary
      </h2>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-4xl font-semibold text-accent-text tabular-nums">{starting}</span>
        <span>{starting === 1 ? "contestant" : "contestants"}</span>
      </p>
      <Estimate newSolve={newSolve} />
      <p role="status" className="sr-only">
        {fresh && `${count(starting, "contestant")}, ${estimateOf(fresh)}`}
      </p>
      <Button
        type="submit"
        look="primary"
        busy={isSending}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        className="min-h-11 w-full whitespace-normal"
      >
        {startWords(totalOf(draft) ? starting : 0, most)}
      </Button>
      <p className="-mt-2 text-xs text-muted">
        Nothing is spent before you start. <kbd>Ctrl</kbd> <kbd>Enter</kbd> starts from any field.
      </p>
      {fresh?.lacks.map((lack) => (
        <p key={lack} className="text-sm break-words text-accent-text">
          <span aria-hidden>! </span>
          Before you can start: <Hostile text={lack} />
        </p>
      ))}
      {general && (
        <p
          role="alert"
          data-invalid=""
          tabIndex={-1}
          className="rounded-md border border-bad bg-bad-ground px-3 py-2 text-sm break-words text-bad"
        >
          <span aria-hidden>✗ </span>
          <Hostile text={general} />
        </p>
      )}
      <FieldsToFix newSolve={newSolve} />
      {total > starting && (
        <p className="text-xs text-muted">
          The limit allows {starting} of {total} contestants: a varied selection starts.
        </p>
      )}
      <EstimateNotes newSolve={newSolve} />
    </section>
  );
}

/** Links to the fields to fix, because the form is long. */
function FieldsToFix({ newSolve: { marked, moveTo } }: { newSolve: NewSolve }) {
  if (!marked.length) return null;
  return (
    <div className="text-sm text-bad">
      <p>
        <span aria-hidden>✗ </span>
        {count(marked.length, "field")} to fix:
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-3">
        {marked.map((field) => (
          <li key={field} className="min-w-0">
            <button
              type="button"
              onClick={() => moveTo(field)}
              className="min-h-6 max-w-full truncate underline underline-offset-4 hover:text-text"
            >
              <Hostile text={nameOf(field)} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
