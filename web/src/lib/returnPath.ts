/** Where a person wanted to go before they had to sign in, and nowhere else. */

const NOT_OURS = /^\/(?:login|auth|api)(?:[/?#]|$)/;

/** A path of this very page; whatever else is asked for leads to its beginning. */
export function ownPath(text: string | null): string {
  const here = window.location.origin;
  if (!text?.startsWith("/") || !URL.canParse(text, here)) return "/";
  const { origin, pathname, search, hash } = new URL(text, here);
  const path = `${pathname}${search}${hash}`;
  // A path such as `/.//other.host` is written anew as `//other.host`.
  const isOurs = origin === here && !path.startsWith("//") && !NOT_OURS.test(path);
  return isOurs ? path : "/";
}

export function loginPath(wanted: string): string {
  const path = ownPath(wanted);
  return path === "/" ? "/login" : `/login?return_to=${encodeURIComponent(path)}`;
}

/** Off to the forge; the server brings the browser back. */
export function enterUrl(wanted: string): string {
  return `/auth/login?return_to=${encodeURIComponent(ownPath(wanted))}`;
}

const KEY = "yudai.return_to";

/** The way back from the forge forgets it when something went wrong there. */
export function saveReturnPath(path: string): void {
  try {
    sessionStorage.setItem(KEY, path);
  } catch {
    // Then a second try leads to the first page.
  }
}

export function savedReturnPath(): string {
  try {
    return ownPath(sessionStorage.getItem(KEY));
  } catch {
    return "/";
  }
}

/** Away from everything that this tab knows: the next person here begins anew. */
export function leave(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Nothing was kept.
  }
  window.location.assign("/login");
}
