const WORDS: Record<string, string> = {
  forbidden:
    "GitHub refused the sign-in, or you cancelled it there. Try again if you did not mean to.",
  refused:
    "The sign-in was not completed: it took too long, was started in another window, or was for a bot account. Try again.",
  forge_unavailable: "GitHub is not responding. Try again in a minute.",
};

/** Text of a sign-in problem code. The redirect from the forge has only the code. */
export function problemWords(code: string): string {
  return WORDS[code] ?? "The sign-in failed. Try again.";
}
