import type { ModelView } from "@/api/types";
import { type Axes, BLANK, type Draft } from "@/features/new-solve/state/draft";
import { INITIAL_DRAFT } from "@/features/new-solve/state/presets";

/** Test data; not imported by the page. */

export const FOLDER = "/home/ada/passbook";

export function drafted(changes: Partial<Draft> = {}): Draft {
  return { ...INITIAL_DRAFT, repo: FOLDER, title: "Leap years", ...changes };
}

export function model(
  name: string,
  price: [number, number] | null,
  aliases: string[] = [],
): ModelView {
  const [input_usd, output_usd] = price ?? [0, 0];
  return {
    name,
    provider: "openrouter",
    model_id: name,
    aliases,
    price: price && { input_usd, output_usd, cached_usd: null },
    edited: false,
  };
}

export const MODELS = [
  model("openai/gpt-4.1", [2, 8], ["gpt-4.1"]),
  model("openai/gpt-5-mini", [0.25, 2]),
  model("anthropic/claude-haiku-4.5", [1, 5]),
  model("local-solo", [0, 0]),
  model("acme/secret", null),
];

export function lineup(...models: string[]): Axes {
  return { ...BLANK.lineup, models };
}

export const FORECAST = {
  total: 4,
  starting: 4,
  not_started: 0,
  contestants: [],
  max_parallel: 3,
  free: false,
  cost_usd: { low: 3, high: 9 },
  ceiling_usd: 10,
  lacks: [],
  seconds: { low: 840, high: 840 },
  folder: null,
  command: "yudai solve /home/ada/passbook",
};
