/** Links to the forge. Text written by others never produces a link to another site. */

/** Returns the URL if it belongs to the forge, else null. */
export function atForge(url: string, forge: string): string | null {
  if (!forge || !URL.canParse(url) || !URL.canParse(forge)) return null;
  const [target, home] = [new URL(url), new URL(forge)];
  const isSafe = target.protocol === "https:" || target.protocol === "http:";
  return isSafe && target.origin === home.origin && !target.username ? target.href : null;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** Display name of the forge. */
export function forgeName(forge: string): string {
  const host = hostOf(forge);
  return !host || host === "github.com" ? "GitHub" : `GitHub at ${host}`;
}

/** Returns `owner/name` of a repository URL at the forge, "" for any other URL. */
export function repoName(url: string, forge: string): string {
  const href = atForge(url, forge);
  const path = href ? new URL(href).pathname.replace(/^\/+|\/+$|\.git$/g, "") : "";
  return /^[\w.-]+\/[\w.-]+$/.test(path) ? path : "";
}

/** Path of the new-solve form for an issue of the repository. */
export function solvePath(repo: string, issue?: number | null): string {
  const search = new URLSearchParams({ repo });
  if (issue) search.set("issue", String(issue));
  return `/new?${search}`;
}
