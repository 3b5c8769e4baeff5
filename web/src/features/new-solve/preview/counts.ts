import type { Forecast, ModelView } from "@/api/types";
import { findModel } from "@/features/new-solve/models/models";
import { axesOf, type Draft, type TypedPrice } from "@/features/new-solve/state/draft";
import { numberOf } from "@/features/new-solve/state/request";
import { count } from "@/lib/format";

/** Number of contestants of the axes, known without a request. */
export function totalOf(draft: Draft): number {
  const { models, temperatures, max_edits, strategies } = axesOf(draft);
  return models.length * temperatures.length * max_edits.length * strategies.length;
}

export interface Count {
  total: number;
  /** Contestants that start; the others exceed the limit. */
  starting: number;
}

/** Prefers the server's count, which considers aliases and its own cap. */
export function countOf(draft: Draft, forecast: Forecast | undefined): Count {
  if (forecast) return { total: forecast.total, starting: forecast.starting };
  const total = totalOf(draft);
  const most = numberOf(draft.limits.max_runs);
  return { total, starting: most ? Math.min(total, most) : total };
}

/** The factors of the count: "3 models × 2 temperatures × …". */
export function productOf(draft: Draft): string {
  const { models, temperatures, max_edits, strategies } = axesOf(draft);
  return [
    count(models.length, "model"),
    count(temperatures.length, "temperature"),
    count(max_edits.length, "edit limit"),
    count(strategies.length, "strategy", "strategies"),
  ].join(" × ");
}

/** Formats a range of costs: $3–9, $0.42–1.80, free. */
export function spanOfMoney(low: number, high: number): string {
  if (high <= 0) return "free";
  const whole = high >= 10 || (low >= 1 && high >= 3);
  const [from, to] = [low, high].map((usd) => amount(usd, whole));
  return from === to ? `$${to}` : `$${from}–${to}`;
}

function amount(usd: number, whole: boolean): string {
  if (whole && usd >= 0.95) return String(Math.round(usd));
  return usd < 0.01 && usd > 0 ? "0.01" : usd.toFixed(2).replace(/\.00$/, "");
}

/** Formats a range of times: ~14 min, ~5–20 min, under a minute. */
export function spanOfTime(low: number, high: number): string {
  const [from, to] = [low, high].map((seconds) => Math.max(1, Math.round(seconds / 60)));
  if (high < 60) return "under a minute";
  return from === to ? `~${to} min` : `~${from}–${to} min`;
}

/** Formats a cost cap: $10, $2.50. */
export function cap(usd: number): string {
  return Number.isInteger(usd) ? `$${usd.toLocaleString("en-US")}` : `$${usd.toFixed(2)}`;
}

export function estimateOf(forecast: Forecast): string {
  const { cost_usd: cost, seconds, max_parallel: parallel, starting, ceiling_usd: most } = forecast;
  const parallelRuns = Math.min(parallel, starting);
  return [
    forecast.free ? "free" : spanOfMoney(cost.low, cost.high),
    spanOfTime(seconds.low, seconds.high),
    ...(starting > 1 ? [`${parallelRuns} at a time`] : []),
    ...(forecast.free ? [] : [`capped at ${cap(most)}`]),
  ].join(", ");
}

export type Ceiling = number | "free" | null;

/** The most that the form allows to spend; null if only the server's caps apply. */
export function ceilingOf(draft: Draft, models: readonly ModelView[]): Ceiling {
  const [all, each] = [numberOf(draft.limits.budget_usd), numberOf(draft.limits.run_budget_usd)];
  const names = axesOf(draft).models;
  const paid = names.filter((name) => !isFree(findModel(models, name), draft.prices[name]));
  if (names.length && !paid.length) return "free";
  if (all === null || Number.isNaN(all)) return null;
  const { total, starting } = countOf(draft, undefined);
  if (each === null || Number.isNaN(each)) return all;
  const share = paid.length / Math.max(1, names.length);
  return Math.min(all, each * Math.min(starting, Math.ceil(total * share)));
}

function isFree(model: ModelView | undefined, typed: TypedPrice | undefined): boolean {
  if (typed) return numberOf(typed.input) === 0 && numberOf(typed.output) === 0;
  return model?.price?.input_usd === 0 && model.price.output_usd === 0;
}

/** The label of the button: "Start 12 contestants, at most $10". */
export function startWords(starting: number, most: Ceiling): string {
  if (!starting) return "Start";
  const money = most === null ? "" : most === "free" ? ", free" : `, at most ${cap(most)}`;
  return `Start ${count(starting, "contestant")}${money}`;
}
