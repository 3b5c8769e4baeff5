/** Options of a navigation that only changes the URL: no history entry, no scrolling. */
export const SAME_PLACE = { replace: true, preventScrollReset: true } as const;

/** Copies search parameters and sets values. An empty value removes its parameter. */
export function withParams(
  before: URLSearchParams,
  values: Readonly<Record<string, string>>,
): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    if (value) after.set(name, value);
    else after.delete(name);
  }
  return after;
}
