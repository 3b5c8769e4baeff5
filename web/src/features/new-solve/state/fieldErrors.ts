import type { ProblemError } from "@/api/problem";
import type { ModelView } from "@/api/types";
import { unpriced } from "@/features/new-solve/models/models";
import { axesOf, type Draft, LIMITS, type Limit } from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { isByNumber, issueNumber, numberOf } from "@/features/new-solve/state/request";

/** Errors by the field of the form that they stand next to; `""` is none: above the button. */
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

/** `matrix.models.0`, `temps`, `prices.gpt-4.1.input_usd` -> the control that shows it. */
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

/** What the server refused, by field; what has no place of its own keeps the name it came with. */
export function errorsOf(problem: ProblemError): Errors {
  const found: Errors = {};
  for (const [named, message] of Object.entries(problem.fields)) {
    const field = fieldOf(named);
    const told = field || !named ? message : `${named}: ${message}`;
    found[field] = found[field] ? `${found[field]}; ${told}` : told;
  }
  return Object.keys(found).length ? found : { "": problem.message };
}

const NAME_ONE = "write owner/repo#12, or paste an issue's URL";
const NO_FOLDERS = `folders work only on your own machine: ${NAME_ONE}`;

/** What can be seen to be wrong without asking the server; where people sign in there are no folders. */
export function check(draft: Draft, models: readonly ModelView[], folders = true): Errors {
  const errors: Errors = {
    ...whereTrouble(draft, folders),
    ...whatTrouble(draft),
    ...whoErrors(draft),
  };
  for (const name of LIMITS) {
    const trouble = limitTrouble(name, draft.limits[name]);
    if (trouble) errors[`limits.${name}`] = trouble;
  }
  for (const name of models.length ? unpriced(models, axesOf(draft).models) : []) {
    const trouble = priceTrouble(draft, name);
    if (trouble) errors[`prices.${name}`] = trouble;
  }
  if (draft.setupBy === "given" && !draft.setup.trim()) {
    errors.setup = "write the commands, one per line, or choose another set-up";
  }
  return errors;
}

function whereTrouble(draft: Draft, folders: boolean): Errors {
  const { kind, wrong = "" } = parseRepository(draft.repo);
  if (kind === "remote") return {};
  if (!folders) return { repo: kind === "folder" ? NO_FOLDERS : NAME_ONE };
  if (kind === "none") return { repo: "name a folder on the server's machine, or a repository" };
  return wrong ? { repo: wrong } : {};
}

function whatTrouble(draft: Draft): Errors {
  if (isByNumber(draft)) {
    return issueNumber(draft) ? {} : { issue_number: "give the issue's number, such as 123" };
  }
  const isTold = draft.title.trim() || draft.body.trim();
  return isTold ? {} : { issue_title: "say what to solve: one line is enough" };
}

const AXES = [
  ["models", "choose at least one model"],
  ["temperatures", "choose at least one temperature"],
  ["max_edits", "choose at least one edit limit"],
  ["strategies", "choose at least one strategy"],
] as const;

function whoErrors(draft: Draft): Errors {
  const axes = axesOf(draft);
  const missing = AXES.filter(([axis]) => !axes[axis].length);
  return Object.fromEntries(missing.map(([axis, told]) => [`matrix.${axis}`, told]));
}

const WHOLE: readonly Limit[] = ["max_parallel", "max_runs", "max_steps"];
const MAY_BE_ZERO: readonly Limit[] = ["budget_usd", "run_budget_usd"];

function limitTrouble(name: Limit, typed: string): string | null {
  const value = numberOf(typed);
  if (value === null) return null;
  if (typed.trim().startsWith("-")) return "0 or more";
  if (Number.isNaN(value)) return "a number, such as 2.5";
  if (WHOLE.includes(name) && !Number.isInteger(value)) return "a whole number";
  if (value === 0 && !MAY_BE_ZERO.includes(name)) return "more than 0";
  return null;
}

function priceTrouble(draft: Draft, name: string): string | null {
  const typed = [draft.prices[name]?.input ?? "", draft.prices[name]?.output ?? ""];
  const values = typed.map(numberOf);
  if (values.some((value) => value === null)) {
    return "the price is unknown: give both, or 0 and 0 if it is free";
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

/** What an estimate still lacks, in words: "a repository, a model". It needs no issue. */
export function lacking(errors: Errors): string {
  const fields = Object.keys(errors).filter((field) => !field.startsWith("issue_"));
  const names = fields.map((field) => {
    if (field.startsWith("prices.")) return `a price for ${field.slice("prices.".length)}`;
    return NEEDS[field] ?? `another ${nameOf(field)}`;
  });
  return [...new Set(names)].join(", ");
}

/** What the form calls it. */
export function nameOf(field: string): string {
  return NAMES[field] ?? field.replace("prices.", "price of ");
}
