import {
  type Axes,
  BLANK,
  type Draft,
  type Limit,
  NO_LIMITS,
} from "@/features/new-solve/state/draft";

export interface Preset {
  id: "quick" | "balanced" | "thorough" | "mission";
  name: string;
  line: string;
  axes: Axes;
  limits: Partial<Record<Limit, string>>;
}

export const PRESETS: readonly Preset[] = [
  {
    id: "quick",
    name: "quick",
    line: "2 small models, 2 strategies, at most $2",
    axes: {
      models: ["openai/gpt-5-mini", "anthropic/claude-haiku-4.5"],
      temperatures: [0.2],
      max_edits: [10],
      strategies: ["balanced", "test-first"],
    },
    limits: { budget_usd: "2", run_budget_usd: "0.5", max_parallel: "4" },
  },
  {
    id: "balanced",
    name: "balanced",
    line: "3 models, 2 temperatures, 2 strategies, at most $10",
    axes: {
      models: ["openai/gpt-5.1", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-pro"],
      temperatures: [0.2, 0.6],
      max_edits: [10],
      strategies: ["test-first", "minimal-fix"],
    },
    limits: { budget_usd: "10", run_budget_usd: "1", max_parallel: "4" },
  },
  {
    id: "thorough",
    name: "thorough",
    line: "4 models, 2 temperatures, 3 strategies, at most $30",
    axes: {
      models: [
        "openai/gpt-5.5",
        "anthropic/claude-opus-4.6",
        "anthropic/claude-sonnet-4.6",
        "google/gemini-3.1-pro-preview",
      ],
      temperatures: [0.2, 0.6],
      max_edits: [20],
      strategies: ["test-first", "stacktrace-first", "minimal-fix"],
    },
    limits: { budget_usd: "30", run_budget_usd: "2", max_parallel: "6", max_steps: "120" },
  },
  {
    id: "mission",
    name: "full matrix",
    line: "3 models, 2 temperatures, 2 edit limits, 3 strategies, 30 minutes",
    axes: {
      models: ["gpt-4.1", "claude-3.7-sonnet", "local-solo"],
      temperatures: [0.2, 0.6],
      max_edits: [3, 5],
      strategies: ["test-first", "stacktrace-first", "small-steps"],
    },
    limits: { max_parallel: "6", time_budget_s: "30" },
  },
];

/** Applies a preset's contestants and limits. Repository and issue stay. */
export function withPreset(draft: Draft, preset: Preset): Draft {
  return {
    ...draft,
    arena: true,
    lineup: preset.axes,
    limits: { ...NO_LIMITS, ...preset.limits },
  };
}

/** The preset that the form's values equal, if any. */
export function presetOf(draft: Draft): Preset["id"] | null {
  const now = JSON.stringify([draft.arena, sorted(draft.lineup), draft.limits]);
  const preset = PRESETS.find((candidate) => {
    const { arena, lineup, limits } = withPreset(BLANK, candidate);
    return JSON.stringify([arena, sorted(lineup), limits]) === now;
  });
  return preset?.id ?? null;
}

function sorted(axes: Axes): (readonly (string | number)[])[] {
  return [axes.models, axes.temperatures, axes.max_edits, axes.strategies].map((axis) =>
    [...axis].sort(),
  );
}

const FIRST = PRESETS[0];
/** The draft of a first visit. */
export const INITIAL_DRAFT: Draft = FIRST ? withPreset(BLANK, FIRST) : BLANK;
