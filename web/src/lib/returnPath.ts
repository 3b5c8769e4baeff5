/** The page that a person asked for before signing in. It is always a path of this site. */

const NOT_OURS = /^\/(?:login|auth|api)(?:[/?#]|$)/;

/** Returns a path of this site; "/" for any other URL. */
export function ownPath(text: string | null): string {
  const here = window.location.origin;
  if (!text?.startsWith("/") || !URL.canParse(text, here)) return "/";
  const { origin, pathname, search, hash } = new URL(text, here);
  const path = `${pathname}${search}${hash}`;
  // A path such as `/.//other.host` is normalised to `//other.host`.
  const isOurs = origin === here && !path.startsWith("//") && !NOT_OURS.test(path);
  return isOurs ? path : "/";
}

export function loginPath(wanted: string): string {
  const path = ownPath(wanted);
  return path === "/" ? "/login" : `/login?return_to=${encodeURIComponent(path)}`;
}

/** URL that starts the sign-in at the forge. The server redirects the browser back. */
export function signInUrl(wanted: string): string {
  return `/auth/login?return_to=${encodeURIComponent(ownPath(wanted))}`;
}

const KEY = "yudai.return_to";

/** Stores the path, because the forge's redirect after a failed sign-in does not contain it. */
export function saveReturnPath(path: string): void {
  try {
    sessionStorage.setItem(KEY, path);
  } catch {
    // Without storage, a second sign-in leads to the first page.
  }
}

export function savedReturnPath(): string {
  try {
    return ownPath(sessionStorage.getItem(KEY));
  } catch {
    return "/";
  }
}

/** Clears what this tab stored, so that the next person starts with an empty session. */
export function leave(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage there is nothing to clear.
  }
  window.location.assign("/login");
}
