/** What a person typed for the repository, as the server wants it. */

export interface Place {
  kind: "none" | "folder" | "remote" | "wrong";
  repo_path?: string;
  repo_url?: string;
  /** The address was an issue's own. */
  number?: number;
  wrong?: string;
}

const HELP = "write a folder's whole path, as in /home/ada/passbook, or https://host/owner/name";
const SSH = /^(?:ssh:\/\/)?git@([^:/\s]+)[:/](.+)$/;
const BARE_HOST = /^[\w-]+(?:\.[\w-]+)+\/[^/\s]+\/[^/\s]+/;
const REMOTE = /^https?:\/\/([^/\s]+)\/([^/\s]+)\/([^/\s?#]+?)(?:\.git)?(?:\/(.*))?$/;
const ISSUE = /^issues\/(\d{1,15})(?:[/?#].*)?$/;

export function placeOf(typed: string): Place {
  const text = typed.trim();
  if (!text) return { kind: "none" };
  if (text.startsWith("/")) return { kind: "folder", repo_path: text };
  if (text.startsWith("file:")) return { kind: "folder", repo_url: text };
  if (/^(~|\.{1,2}(\/|$)|[A-Za-z]:\\)/.test(text)) return wrong(text);
  return remote(text.replace(SSH, "https://$1/$2"));
}

function remote(text: string): Place {
  const found = REMOTE.exec(BARE_HOST.test(text) ? `https://${text}` : text);
  if (!found) return wrong(text);
  const [, host, owner, name, rest = ""] = found;
  const number = ISSUE.exec(rest)?.[1];
  return {
    kind: "remote",
    repo_url: `https://${host}/${owner}/${name}`,
    ...(number ? { number: Number(number) } : {}),
  };
}

function wrong(text: string): Place {
  const why = text.startsWith("~")
    ? "the server does not know whose home ~ is"
    : `this is neither a whole path nor an address`;
  return { kind: "wrong", wrong: `${why}: ${HELP}` };
}
