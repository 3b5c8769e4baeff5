import { BLANK, type Draft, NO_LIMITS } from "@/features/new-solve/state/draft";
import { fromSearch } from "@/features/new-solve/state/draftUrl";
import { INITIAL_DRAFT } from "@/features/new-solve/state/presets";

const KEY = "yudai.ask";

/** Restores this tab's draft and applies the URL's values. */
export function restoreDraft(search: string): Draft {
  const draft = fromSearch(search, read() ?? INITIAL_DRAFT);
  if (!draft.sent) return draft;
  return { ...draft, title: "", body: "", number: "", sent: false };
}

export function saveDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Without storage the form works until a reload.
  }
}

function read(): Draft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return isDraft(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** Rejects a draft that an older version of the page has saved in another shape. */
function isDraft(kept: unknown): kept is Draft {
  if (!isAlike(BLANK, kept)) return false;
  const { lineup, single, limits } = kept as unknown as Draft;
  return isAlike(NO_LIMITS, limits) && [lineup, single].every(isAxes);
}

function isAlike(model: object, kept: unknown): kept is Record<string, unknown> {
  if (typeof kept !== "object" || kept === null) return false;
  const values = new Map(Object.entries(kept));
  return Object.entries(model).every(([name, value]) => typeof values.get(name) === typeof value);
}

function isAxes(kept: object): boolean {
  return isAlike(BLANK.lineup, kept) && Object.values(kept).every(Array.isArray);
}
