import type { ProblemError } from "@/api/problem";
import type { ModelView } from "@/api/types";
import { unpriced } from "@/features/new-solve/models/models";
import { axesOf, type Draft, LIMITS, type Limit } from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { isByNumber, issueNumber, numberOf } from "@/features/new-solve/state/request";

/** Errors by form field; `""` is an error that belongs to no field. */
export type Errors = Record<string, string>;

const SPELLINGS: Record<string, string> = {
  repo_path: "repo",
  repo_url: "repo",
  "matrix.temps": "matrix.temperatures",
  "matrix.evolution": "matrix.strategies",
  matrix: "matrix.models",
};
const NAMES: Record<string, string> = {
  repo: "repository",
  issue_number: "issue number",
  issue_title: "title",
  issue_text: "description",
  base_branch: "base branch",
  dirty: "uncommitted changes",
  "matrix.models": "models",
  "matrix.temperatures": "temperatures",
  "matrix.max_edits": "max edits",
  "matrix.strategies": "strategies",
  "limits.budget_usd": "budget",
  "limits.run_budget_usd": "budget per run",
  "limits.max_parallel": "at a time",
  "limits.max_runs": "contestants",
  "limits.time_budget_s": "time",
  "limits.run_time_budget_s": "time per run",
  "limits.max_steps": "steps",
  setup: "set-up",
  test: "test command",
  env: "Python environment",
  require_proof: "proof",
  publish: "pull request",
};

/** Maps a server field (`matrix.models.0`, `temps`, `prices.gpt-4.1.input_usd`) to a form field. */
export function fieldOf(named: string): string {
  if (named.startsWith("prices.")) {
    return named.replace(/\.(input|output|cached)_usd$/, "").replace(/\.\[key\]$/, "");
  }
  for (const name of prefixes(named)) {
    const field = SPELLINGS[name] ?? name;
    if (field in NAMES) return field;
  }
  return "";
}

function prefixes(named: string): string[] {
  const parts = named.split(".");
  return parts.map((_, cut) => parts.slice(0, parts.length - cut).join("."));
}

/**
 * Errors of a server response by form field. A field that the form does not have keeps its name.
 */
export function errorsOf(problem: ProblemError): Errors {
  const errors: Errors = {};
  for (const [named, message] of Object.entries(problem.fields)) {
    const field = fieldOf(named);
    const text = field || !named ? message : `${named}: ${message}`;
    errors[field] = errors[field] ? `${errors[field]}; ${text}` : text;
  }
  return Object.keys(errors).length ? errors : { "": problem.message };
}

const NAME_ONE = "enter owner/repo#12, or paste an issue URL";
const NO_FOLDERS = `folders work only on your own machine: ${NAME_ONE}`;

/** Checks the draft without a request. Folders are accepted in local mode only. */
export function check(draft: Draft, models: readonly ModelView[], folders = true): Errors {
  const errors: Errors = {
    ...sourceErrors(draft, folders),
    ...issueErrors(draft),
    ...matrixErrors(draft),
  };
  for (const name of LIMITS) {
    const error = limitError(name, draft.limits[name]);
    if (error) errors[`limits.${name}`] = error;
  }
  for (const name of models.length ? unpriced(models, axesOf(draft).models) : []) {
    const error = priceError(draft, name);
    if (error) errors[`prices.${name}`] = error;
  }
  if (draft.setupBy === "given" && !draft.setup.trim()) {
    errors.setup = "enter the commands, one per line, or choose another set-up";
  }
  return errors;
}

function sourceErrors(draft: Draft, folders: boolean): Errors {
  const { kind, wrong = "" } = parseRepository(draft.repo);
  if (kind === "remote") return {};
  if (!folders) return { repo: kind === "folder" ? NO_FOLDERS : NAME_ONE };
  if (kind === "none") return { repo: "enter a folder on the server's machine, or a repository" };
  return wrong ? { repo: wrong } : {};
}

function issueErrors(draft: Draft): Errors {
  if (isByNumber(draft)) {
    return issueNumber(draft) ? {} : { issue_number: "enter the issue number, such as 123" };
  }
  const isDescribed = draft.title.trim() || draft.body.trim();
  return isDescribed ? {} : { issue_title: "describe what to solve: one line is enough" };
}

const AXES = [
  ["models", "choose at least one model"],
  ["temperatures", "choose at least one temperature"],
  ["max_edits", "choose at least one edit limit"],
  ["strategies", "choose at least one strategy"],
] as const;

function matrixErrors(draft: Draft): Errors {
  const axes = axesOf(draft);
  const missing = AXES.filter(([axis]) => !axes[axis].length);
  return Object.fromEntries(missing.map(([axis, message]) => [`matrix.${axis}`, message]));
}

const WHOLE: readonly Limit[] = ["max_parallel", "max_runs", "max_steps"];
const MAY_BE_ZERO: readonly Limit[] = ["budget_usd", "run_budget_usd"];

function limitError(name: Limit, typed: string): string | null {
  const value = numberOf(typed);
  if (value === null) return null;
  if (typed.trim().startsWith("-")) return "0 or more";
  if (Number.isNaN(value)) return "a number, such as 2.5";
  if (WHOLE.includes(name) && !Number.isInteger(value)) return "a whole number";
  if (value === 0 && !MAY_BE_ZERO.includes(name)) return "more than 0";
  return null;
}

function priceError(draft: Draft, name: string): string | null {
  const typed = [draft.prices[name]?.input ?? "", draft.prices[name]?.output ?? ""];
  const values = typed.map(numberOf);
  if (values.some((value) => value === null)) {
    return "the price is unknown: enter both, or 0 and 0 if the model is free";
  }
  return values.some(Number.isNaN) ? "prices are numbers, such as 2.5" : null;
}

const NEEDS: Record<string, string> = {
  repo: "a repository",
  "matrix.models": "a model",
  "matrix.temperatures": "a temperature",
  "matrix.max_edits": "an edit limit",
  "matrix.strategies": "a strategy",
  setup: "set-up commands",
};

/** What an estimate still needs: "a repository, a model". It does not need an issue. */
export function lacking(errors: Errors): string {
  const fields = Object.keys(errors).filter((field) => !field.startsWith("issue_"));
  const names = fields.map((field) => {
    if (field.startsWith("prices.")) return `a price for ${field.slice("prices.".length)}`;
    return NEEDS[field] ?? `a valid value for ${nameOf(field)}`;
  });
  return [...new Set(names)].join(", ");
}

/** The field's name on the form. */
export function nameOf(field: string): string {
  return NAMES[field] ?? field.replace("prices.", "price of ");
}
