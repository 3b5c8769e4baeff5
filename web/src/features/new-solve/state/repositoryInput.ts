/** Parses the repository input into the server's fields. */

export interface RepositoryInput {
  kind: "none" | "folder" | "remote" | "wrong";
  repo_path?: string;
  repo_url?: string;
  /** The host; left out for this server's forge. */
  host?: string;
  repo?: { owner: string; name: string };
  /** The number, if the input names an issue. */
  number?: number;
  wrong?: string;
}

const HELP =
  "enter owner/repo#12, an issue URL, or a folder's absolute path, such as /home/ada/passbook";
const SHORT = /^([\w-][\w.-]*)\/([\w-][\w.-]*?)(?:\.git)?(?:#(\d{1,9}))?$/;
/** Plain HTTP is accepted only for a forge on this machine. */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?\//i;
const SSH = /^(?:ssh:\/\/)?git@([^:/\s]+)[:/](.+)$/;
const BARE_HOST = /^[\w-]+(?:\.[\w-]+)+\/[^/\s]+\/[^/\s]+/;
const REMOTE = /^https?:\/\/([^/\s]+)\/([^/\s]+)\/([^/\s?#]+?)(?:\.git)?(?:\/(.*))?$/;
const ISSUE = /^(?:issues|pull)\/(\d{1,15})(?:[/?#].*)?$/;

export function parseRepository(typed: string): RepositoryInput {
  const text = typed.trim();
  if (!text) return { kind: "none" };
  if (text.startsWith("/")) return { kind: "folder", repo_path: text };
  if (text.startsWith("file:")) return { kind: "folder", repo_url: text };
  if (/^(~|\.{1,2}(\/|$)|[A-Za-z]:\\)/.test(text)) return wrong(text);
  return short(text) ?? remote(text.replace(SSH, "https://$1/$2"));
}

function short(text: string): RepositoryInput | null {
  const [, owner, name, number] = SHORT.exec(text) ?? [];
  if (!owner || !name) return null;
  return {
    kind: "remote",
    repo_url: `${owner}/${name}`,
    repo: { owner, name },
    ...(number ? { number: Number(number) } : {}),
  };
}

function remote(text: string): RepositoryInput {
  const match = REMOTE.exec(BARE_HOST.test(text) ? `https://${text}` : text);
  if (!match) return wrong(text);
  const [, host = "", owner = "", name = "", rest = ""] = match;
  const scheme = LOOPBACK.test(text) ? "http" : "https";
  const number = ISSUE.exec(rest)?.[1];
  return {
    kind: "remote",
    repo_url: `${scheme}://${host}/${owner}/${name}`,
    host,
    repo: { owner, name },
    ...(number ? { number: Number(number) } : {}),
  };
}

function wrong(text: string): RepositoryInput {
  const why = text.startsWith("~")
    ? "the server cannot resolve ~"
    : `it is neither an absolute path nor a URL`;
  return { kind: "wrong", wrong: `${why}: ${HELP}` };
}
