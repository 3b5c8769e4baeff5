import type { PublishMode, Strategy } from "@/api/types";

/** What is on the form. Numbers are kept as they were typed, so that a slip can be mended. */

export const PUBLISHING: readonly { mode: PublishMode; name: string; line: string }[] = [
  {
    mode: "auto",
    name: "automatically",
    line: "a draft, as soon as a champion has passed every check",
  },
  { mode: "ask", name: "ask me", line: "nothing is pushed until a person presses the button" },
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
  /** A line-up competes, or one contestant works alone; each keeps its own axes. */
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
  /** Whether a forge's champion becomes a pull request. */
  publish: PublishMode;
  /** It became a solve: its issue is not wanted again. */
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
  lineup: { models: [], temperatures: [0.2], max_edits: [10], strategies: ["balanced"] },
  single: { models: [], temperatures: [0.2], max_edits: [10], strategies: ["balanced"] },
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

/** The axes that count now. */
export function axesOf(draft: Draft): Axes {
  return draft.arena ? draft.lineup : draft.single;
}

export function withAxes(draft: Draft, axes: Partial<Axes>): Draft {
  const at = draft.arena ? "lineup" : "single";
  return { ...draft, [at]: { ...draft[at], ...axes } };
}

/** To one contestant or to a line-up; the first time it begins with what was chosen before. */
export function withArena(draft: Draft, arena: boolean): Draft {
  const [to, from] = arena ? (["lineup", "single"] as const) : (["single", "lineup"] as const);
  const begun = draft[to].models.length ? draft[to] : firsts(draft[from], arena);
  return { ...draft, arena, [to]: begun };
}

function firsts(axes: Axes, all: boolean): Axes {
  if (all) return axes;
  return {
    models: axes.models.slice(0, 1),
    temperatures: axes.temperatures.slice(0, 1),
    max_edits: axes.max_edits.slice(0, 1),
    strategies: axes.strategies.slice(0, 1),
  };
}

/** Take it in or out; where only one may be chosen it takes the other's place. */
export function toggled<T>(values: readonly T[], value: T, many: boolean): T[] {
  if (!many) return [value];
  return values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
}
