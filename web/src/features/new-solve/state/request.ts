import { DEFAULT_REDUCER } from "@/api/choices";
import type { SolveBody } from "@/api/queries/newSolve";
import type { SolveAsk } from "@/api/types";
import {
  axesOf,
  BLANK,
  type Draft,
  LIMITS,
  type Limit,
  NO_LIMITS,
} from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";

type Limits = SolveAsk["limits"];
type Prices = SolveAsk["prices"];

const MINUTE_S = 60;
const IN_MINUTES: readonly Limit[] = ["time_budget_s", "run_time_budget_s"];

/** Parses a typed number. Returns null for an empty text and NaN for an invalid one. */
export function numberOf(typed: string): number | null {
  const text = typed.trim().replace(/^\$/, "");
  if (!text) return null;
  return /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
}

/** The body of POST /api/solves. Fields that were not entered are left to the server's defaults. */
export function bodyOf(draft: Draft): SolveBody {
  const body: SolveBody = { ...whereOf(draft), ...whatOf(draft), matrix: { ...axesOf(draft) } };
  const limits = limitsOf(draft.limits);
  const prices = pricesOf(draft);
  if (Object.keys(limits).length) body.limits = limits;
  if (Object.keys(prices).length) body.prices = prices;
  if (draft.setupBy === "none") body.setup = [];
  if (draft.setupBy === "given") body.setup = lines(draft.setup);
  if (draft.test.trim()) body.test = draft.test.trim();
  if (draft.env.trim() && isFolder(draft)) body.env = draft.env.trim();
  if (!draft.requireProof) body.require_proof = false;
  if (parseRepository(draft.repo).kind === "remote") body.publish = draft.publish;
  return body;
}

export function isFolder(draft: Draft): boolean {
  return parseRepository(draft.repo).kind === "folder";
}

/** Whether the issue is given by number, which only a forge has. */
export function isByNumber(draft: Draft): boolean {
  const place = parseRepository(draft.repo);
  return place.kind === "remote" && (draft.issueBy === "number" || place.number !== undefined);
}

/** The issue number from the URL or the number field; null if there is none yet. */
export function issueNumber(draft: Draft): number | null {
  const number = parseRepository(draft.repo).number ?? numberOf(draft.number.replace("#", ""));
  return number && Number.isInteger(number) ? number : null;
}

function whereOf(draft: Draft): Partial<SolveBody> {
  const place = parseRepository(draft.repo);
  const where: Partial<SolveBody> = {};
  if (place.repo_path) where.repo_path = place.repo_path;
  if (place.repo_url) where.repo_url = place.repo_url;
  if (draft.base.trim()) where.base_branch = draft.base.trim();
  if (draft.dirty && place.kind === "folder") where.dirty = true;
  return where;
}

function whatOf(draft: Draft): Partial<SolveBody> {
  const number = issueNumber(draft);
  if (isByNumber(draft)) return number ? { issue_number: number } : {};
  const [title, text] = [draft.title.trim(), draft.body.trim()];
  // A title without a body is the whole issue: the server takes the first line as title.
  if (!text) return title ? { issue_text: title } : {};
  return title ? { issue_title: title, issue_text: text } : { issue_text: text };
}

function limitsOf(typed: Record<Limit, string>): Limits {
  const limits: Limits = {};
  for (const name of LIMITS) {
    const value = numberOf(typed[name]);
    if (value === null || Number.isNaN(value)) continue;
    limits[name] = IN_MINUTES.includes(name) ? Math.round(value * MINUTE_S) : value;
  }
  return limits;
}

/** Prices of the chosen models. The server refuses a price for any other model. */
function pricesOf(draft: Draft): Prices {
  const prices: Prices = {};
  for (const model of axesOf(draft).models) {
    const input = numberOf(draft.prices[model]?.input ?? "");
    const output = numberOf(draft.prices[model]?.output ?? "");
    if (input === null || output === null || Number.isNaN(input + output)) continue;
    prices[model] = { input_usd: input, output_usd: output };
  }
  return prices;
}

function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

type AnyBody = Partial<Omit<SolveAsk, "matrix" | "limits">> & {
  matrix: Partial<SolveAsk["matrix"]>;
  limits?: Limits;
};

/** Converts a body to a draft. Accepts the other spellings of the axes. */
export function draftOf(body: AnyBody): Draft {
  const { matrix } = body;
  const axes = {
    models: matrix.models ?? [],
    temperatures: matrix.temperatures ?? matrix.temps ?? BLANK.lineup.temperatures,
    max_edits: matrix.max_edits ?? BLANK.lineup.max_edits,
    strategies: matrix.strategies ?? matrix.evolution ?? BLANK.lineup.strategies,
  };
  const arena = Object.values(axes).some((axis) => axis.length > 1);
  const at = arena ? { lineup: axes } : { single: axes, lineup: axes };
  return { ...BLANK, ...fieldsOf(body), ...at, arena, limits: typedLimits(body.limits ?? {}) };
}

function fieldsOf(body: AnyBody): Partial<Draft> {
  const prices = Object.entries(body.prices ?? {}).map(([name, price]) => [
    name,
    { input: String(price.input_usd), output: String(price.output_usd) },
  ]);
  return {
    repo: body.repo_path || body.repo_url || "",
    ...issueOf(body),
    base: body.base_branch ?? "",
    dirty: body.dirty ?? false,
    prices: Object.fromEntries(prices),
    setupBy: body.setup ? (body.setup.length ? "given" : "none") : "found",
    setup: body.setup?.join("\n") ?? "",
    test: body.test ?? "",
    env: body.env ?? "",
    requireProof: body.require_proof ?? true,
    publish: body.publish ?? BLANK.publish,
  };
}

function issueOf(body: AnyBody): Pick<Draft, "issueBy" | "title" | "body" | "number"> {
  const { issue_title: title = "", issue_text: text = "", issue_number: number } = body;
  const isText = Boolean(text) || !number;
  return {
    issueBy: isText ? "text" : "number",
    number: number ? String(number) : "",
    ...(title ? { title, body: text } : split(text)),
  };
}

/** Splits an issue text as the server does: the first line is the title. */
export function split(text: string): { title: string; body: string } {
  const [head = "", ...rest] = text.trim().split("\n");
  return { title: head.replace(/^[# ]+/, "").trim(), body: rest.join("\n").trim() };
}

function typedLimits(limits: Limits): Record<Limit, string> {
  const typed = { ...NO_LIMITS };
  for (const name of LIMITS) {
    const value = limits[name];
    if (value === null || value === undefined) continue;
    typed[name] = String(IN_MINUTES.includes(name) ? value / MINUTE_S : value);
  }
  return typed;
}

const DEFAULTS: Record<string, unknown> = {
  dirty: false,
  require_proof: true,
  reducer: DEFAULT_REDUCER,
};

/** Removes empty and default values from the server's body. */
export function pruned(body: object): object {
  const kept = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
    const inner = isPlain ? pruned(value) : value;
    const isEmpty = value === null || value === "" || (isPlain && !Object.keys(inner).length);
    return isEmpty || DEFAULTS[name] === value ? [] : [[name, inner]];
  });
  return Object.fromEntries(kept);
}
