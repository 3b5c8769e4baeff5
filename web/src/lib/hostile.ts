/** Agent and issue text is untrusted: invisible and bidirectional control characters are shown. */

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each character is matched separately
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

export interface Piece {
  text: string;
  /** True for the code of an invisible character. */
  hidden: boolean;
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Splits text into pieces and replaces hidden characters with their code point: `U+202E`. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), hidden: false });
    pieces.push({ text: name(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** Returns the same as one string, for titles and labels. */
export function shown(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨${name(character)}⟩`);
}
