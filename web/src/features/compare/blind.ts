/** Judging without knowing whose it is. */

/**
 * Whether the two change places, the same each time for one person and one pair, whichever of the
 * two is named first.
 */
export function isSwapped(seed: string, one: string, two: string): boolean {
  const [low, high] = one < two ? [one, two] : [two, one];
  const luck = hash(`${seed}\n${low}\n${high}`) & 1;
  return (one === low) === (luck === 1);
}

/** FNV-1a with a last stir, so that its lowest bit is as good as any. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Handles stand in names of tests and in summaries too: there they become letters as well. */
export function masker(names: ReadonlyMap<string, string>): (text: string) => string {
  const handles = [...names.keys()].filter(Boolean).sort((one, two) => two.length - one.length);
  return (text) =>
    handles.reduce((masked, handle) => masked.replaceAll(handle, names.get(handle) ?? ""), text);
}
