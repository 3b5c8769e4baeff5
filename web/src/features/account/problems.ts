const WORDS: Record<string, string> = {
  forbidden:
    "GitHub did not let you in, or you said no there. If that was not what you wanted, begin again.",
  refused:
    "The sign-in was not finished: it took too long, was begun in another window, or is for a bot's account. Begin again.",
  forge_unavailable: "GitHub does not answer at the moment. Try again in a minute.",
};

/** What the way back from the forge told by its code; a code is all that it ever tells. */
export function problemWords(code: string): string {
  return WORDS[code] ?? "The sign-in did not work. Begin again.";
}
