import { DEFAULT_STRATEGY } from "@/api/choices";
import type { PublishMode, Strategy } from "@/api/types";

/** The form's values. Numbers are kept as typed, so that typing errors can be corrected. */

export const PUBLISHING: readonly { mode: PublishMode; name: string; line: string }[] = [
  {
    mode: "auto",
    name: "automatically",
    line: "a draft, as soon as a champion passes every check",
  },
  { mode: "ask", name: "ask me", line: "nothing is pushed until you press the button" },
  { mode: "never", name: "never", line: "the patch stays here to read and download" },
];

export const LIMITS = [
  "budget_usd",
  "run_budget_usd",
  "max_parallel",
  "max_runs",
  "time_budget_s",
  "run_time_budget_s",
  "max_steps",
] as const;
export type Limit = (typeof LIMITS)[number];

export interface Axes {
  models: string[];
  temperatures: number[];
  max_edits: number[];
  strategies: Strategy[];
}
export type Axis = keyof Axes;

export interface TypedPrice {
  input: string;
  output: string;
}

export interface Draft {
  repo: string;
  issueBy: "text" | "number";
  title: string;
  body: string;
  number: string;
  base: string;
  dirty: boolean;
  /** Several contestants or a single one. Each keeps its own axes. */
  arena: boolean;
  lineup: Axes;
  single: Axes;
  prices: Record<string, TypedPrice>;
  /** Times in minutes, money in dollars. */
  limits: Record<Limit, string>;
  setupBy: "found" | "none" | "given";
  setup: string;
  test: string;
  env: string;
  requireProof: boolean;
  /** Whether the champion becomes a pull request at the forge. */
  publish: PublishMode;
  /** True once a solve was started: the issue is not restored. */
  sent: boolean;
}

export const NO_LIMITS: Record<Limit, string> = {
  budget_usd: "",
  run_budget_usd: "",
  max_parallel: "",
  max_runs: "",
  time_budget_s: "",
  run_time_budget_s: "",
  max_steps: "",
};

export const BLANK: Draft = {
  repo: "",
  issueBy: "text",
  title: "",
  body: "",
  number: "",
  base: "",
  dirty: false,
  arena: true,
  lineup: { models: [], temperatures: [0.2], max_edits: [10], strategies: [DEFAULT_STRATEGY] },
  single: { models: [], temperatures: [0.2], max_edits: [10], strategies: [DEFAULT_STRATEGY] },
  prices: {},
  limits: NO_LIMITS,
  setupBy: "found",
  setup: "",
  test: "",
  env: "",
  requireProof: true,
  publish: "ask",
  sent: false,
};

/** The axes of the current mode. */
export function axesOf(draft: Draft): Axes {
  return draft.arena ? draft.lineup : draft.single;
}

export function withAxes(draft: Draft, axes: Partial<Axes>): Draft {
  const at = draft.arena ? "lineup" : "single";
  return { ...draft, [at]: { ...draft[at], ...axes } };
}

/** Switches between one and several contestants. The first switch copies the previous axes. */
export function withArena(draft: Draft, arena: boolean): Draft {
  const [to, from] = arena ? (["lineup", "single"] as const) : (["single", "lineup"] as const);
  const axes = draft[to].models.length ? draft[to] : firstOnly(draft[from], arena);
  return { ...draft, arena, [to]: axes };
}

function firstOnly(axes: Axes, all: boolean): Axes {
  if (all) return axes;
  return {
    models: axes.models.slice(0, 1),
    temperatures: axes.temperatures.slice(0, 1),
    max_edits: axes.max_edits.slice(0, 1),
    strategies: axes.strategies.slice(0, 1),
  };
}

/** Adds or removes a value. If only one is allowed, it replaces the previous value. */
export function toggled<T>(values: readonly T[], value: T, many: boolean): T[] {
  if (!many) return [value];
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
}
