import { STRATEGIES } from "@/api/choices";
import type { Strategy } from "@/api/types";
import {
  type Axes,
  axesOf,
  BLANK,
  type Draft,
  LIMITS,
  PUBLISHING,
  withAxes,
} from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { isByNumber, split } from "@/features/new-solve/state/request";

/** The short values of the form in the URL. The issue body and commands stay in this tab. */

const AXES: Record<keyof Axes, string> = {
  models: "model",
  temperatures: "temperature",
  max_edits: "max_edits",
  strategies: "strategy",
};
const MAX_TITLE = 500;

export function toSearch(draft: Draft): string {
  const search = new URLSearchParams();
  const put = (name: string, value: string) => value && search.append(name, value);
  put("repo", draft.repo.trim());
  put("issue", isByNumber(draft) ? draft.number.trim() : draft.title.trim());
  put("base", draft.base.trim());
  put("dirty", draft.dirty ? "1" : "");
  const isRemote = parseRepository(draft.repo).kind === "remote";
  put("publish", isRemote && draft.publish !== BLANK.publish ? draft.publish : "");
  put("arena", draft.arena ? "" : "0");
  for (const [axis, values] of Object.entries(axesOf(draft))) {
    for (const value of values) put(AXES[axis as keyof Axes], String(value));
  }
  for (const name of LIMITS) put(name, draft.limits[name].trim());
  return search.size ? `?${search}` : "";
}

/** Applies the URL's values to the draft. Other values stay. */
export function fromSearch(text: string, draft: Draft): Draft {
  const search = new URLSearchParams(text);
  const next = { ...draft };
  if (search.has("repo")) next.repo = search.get("repo") ?? "";
  if (search.has("base")) next.base = search.get("base") ?? "";
  if (search.has("dirty")) next.dirty = search.get("dirty") === "1";
  const publish = PUBLISHING.find(({ mode }) => mode === search.get("publish"));
  if (publish) next.publish = publish.mode;
  if (search.has("arena")) next.arena = search.get("arena") !== "0";
  const limits = LIMITS.filter((name) => search.has(name));
  if (limits.length) {
    const entries = limits.map((name) => [name, search.get(name) ?? ""]);
    next.limits = { ...draft.limits, ...Object.fromEntries(entries) };
  }
  return withAxes({ ...next, ...issueIn(search, next) }, axesIn(search));
}

function issueIn(search: URLSearchParams, draft: Draft): Partial<Draft> {
  const place = parseRepository(draft.repo);
  const issue = (search.get("issue") ?? (place.number ? String(place.number) : "")).trim();
  if (!issue) return {};
  if (/^#?\d+$/.test(issue) && place.kind !== "folder") {
    return { issueBy: "number", number: issue.replace("#", ""), sent: false };
  }
  // The URL has only the title: the body saved in this tab belongs to it.
  if (issue === draft.title.trim()) return { issueBy: "text", sent: false };
  const { title, body } = split(issue);
  return { issueBy: "text", title: title.slice(0, MAX_TITLE), body, sent: false };
}

function axesIn(search: URLSearchParams): Partial<Axes> {
  const all = (axis: keyof Axes) => [...new Set(search.getAll(AXES[axis]))].filter(Boolean);
  const known = STRATEGIES.map(({ name }) => name as string);
  const values: Axes = {
    models: all("models"),
    temperatures: numbers(all("temperatures")),
    max_edits: numbers(all("max_edits")),
    strategies: all("strategies").filter((name): name is Strategy => known.includes(name)),
  };
  return Object.fromEntries(Object.entries(values).filter(([, list]) => list.length));
}

function numbers(texts: string[]): number[] {
  return texts.map(Number).filter((value) => Number.isFinite(value) && value >= 0);
}
