/** Blind comparison: hides which contestant is which. */

/**
 * Whether the two sides are swapped. The result is stable for one person and one pair, in any order
 * of the arguments.
 */
export function isSwapped(seed: string, one: string, two: string): boolean {
  const [low, high] = one < two ? [one, two] : [two, one];
  const bit = hash(`${seed}\n${low}\n${high}`) & 1;
  return (one === low) === (bit === 1);
}

/** FNV-1a with a final mix, so that the lowest bit is as random as any other. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Replaces handles by letters in texts such as test names and summaries. */
export function masker(names: ReadonlyMap<string, string>): (text: string) => string {
  const handles = [...names.keys()].filter(Boolean).sort((one, two) => two.length - one.length);
  return (text) =>
    handles.reduce((masked, handle) => masked.replaceAll(handle, names.get(handle) ?? ""), text);
}
