import { BLANK, type Draft, NO_LIMITS } from "@/features/new-solve/state/draft";
import { fromSearch } from "@/features/new-solve/state/draftUrl";
import { BEGINNING } from "@/features/new-solve/state/presets";

const KEY = "yudai.ask";

/** What this tab had on the form, and over it what the address names. */
export function restoreDraft(search: string): Draft {
  const draft = fromSearch(search, read() ?? BEGINNING);
  if (!draft.sent) return draft;
  return { ...draft, title: "", body: "", number: "", sent: false };
}

export function saveDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Where storage is forbidden or full the form works all the same, until a reload.
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

/** An older page may have kept another shape: then it begins anew. */
function isDraft(kept: unknown): kept is Draft {
  if (!isAlike(BLANK, kept)) return false;
  const { lineup, single, limits } = kept as unknown as Draft;
  return isAlike(NO_LIMITS, limits) && [lineup, single].every(isAxes);
}

function isAlike(model: object, kept: unknown): kept is Record<string, unknown> {
  if (typeof kept !== "object" || kept === null) return false;
  const found = new Map(Object.entries(kept));
  return Object.entries(model).every(([name, value]) => typeof found.get(name) === typeof value);
}

function isAxes(kept: object): boolean {
  return isAlike(BLANK.lineup, kept) && Object.values(kept).every(Array.isArray);
}
