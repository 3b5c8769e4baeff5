/** Text of agents and issues is hostile: what would be invisible, or turn the line around, is shown. */

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is looked for alone
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

export interface Piece {
  text: string;
  /** It stands for a character that cannot be seen. */
  hidden: boolean;
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text in pieces, hidden characters by their number: `U+202E`. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), hidden: false });
    found.push({ text: name(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), hidden: false });
  return found;
}

/** As one string, for titles and labels. */
export function shown(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨${name(character)}⟩`);
}
