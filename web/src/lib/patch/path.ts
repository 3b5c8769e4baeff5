/** Paths as git writes them in a patch: plain, followed by a tab, or quoted as in C. */

const ESCAPES: Record<string, number> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};
const ESCAPE = /\\([0-7]{3}|[abtnvfr"\\])/gu;

/** Decodes `"a\303\244.py"` to `aä.py`: octal escapes are UTF-8 bytes. */
export function unquoted(name: string): string {
  const plain = name.replace(/\t$/u, "");
  if (!plain.startsWith('"') || !plain.endsWith('"') || plain.length < 2) return plain;
  const inner = plain.slice(1, -1);
  const bytes: number[] = [];
  let from = 0;
  for (const match of inner.matchAll(ESCAPE)) {
    for (const encodedByte of encoded(inner.slice(from, match.index))) bytes.push(encodedByte);
    bytes.push(byte(match[1] ?? ""));
    from = match.index + match[0].length;
  }
  for (const encodedByte of encoded(inner.slice(from))) bytes.push(encodedByte);
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function byte(code: string): number {
  return ESCAPES[code] ?? Number.parseInt(code, 8) & 0xff;
}

/**
 * The path of `diff --git a/x b/x`. Without renames both paths are equal, so spaces are
 * unambiguous.
 */
export function headerPath(names: string): string {
  if (names.startsWith('"')) {
    const middle = names.indexOf('" ');
    return unquoted(names.slice(0, middle + 1)).slice(2);
  }
  const half = Math.floor((names.length - 1) / 2);
  const first = names.slice(0, half);
  const isTwice = first.slice(2) === names.slice(half + 3);
  return isTwice ? first.slice(2) : (names.split(" b/")[0] ?? names).slice(2);
}

/** The path of a `---` or `+++` line; null if the file does not exist. */
export function linePath(name: string): string | null {
  const path = unquoted(name);
  return path === "/dev/null" ? null : path.replace(/^[ab]\//u, "");
}

const ESCAPED_BLANKS: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A path as one line: tabs and line breaks are escaped. */
export function pathText(path: string): string {
  return path.replace(/[\t\n\r]/gu, (blank) => ESCAPED_BLANKS[blank] ?? blank);
}
