/** Addresses at the forge: what others wrote never leads anywhere else. */

/** The address if it is one of the forge's own, else null. */
export function atForge(url: string, forge: string): string | null {
  if (!forge || !URL.canParse(url) || !URL.canParse(forge)) return null;
  const [found, home] = [new URL(url), new URL(forge)];
  const isSafe = found.protocol === "https:" || found.protocol === "http:";
  return isSafe && found.origin === home.origin && !found.username ? found.href : null;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** What people call it. */
export function forgeName(forge: string): string {
  const host = hostOf(forge);
  return !host || host === "github.com" ? "GitHub" : `GitHub at ${host}`;
}

/** `owner/name` of a repository's address at the forge; "" for anything else. */
export function repoName(url: string, forge: string): string {
  const found = atForge(url, forge);
  const path = found ? new URL(found).pathname.replace(/^\/+|\/+$|\.git$/g, "") : "";
  return /^[\w.-]+\/[\w.-]+$/.test(path) ? path : "";
}

/** The form for a solve of an issue of it. */
export function solvePath(repo: string, issue?: number | null): string {
  const search = new URLSearchParams({ repo });
  if (issue) search.set("issue", String(issue));
  return `/new?${search}`;
}
