"""Cookies of a login, its callback URL and its return path."""

from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from yudai.accounts.logins import ABSOLUTE_S, ATTEMPT_S
from yudai.api.security.request_guards import LOOPBACK
from yudai.settings import Settings
from yudai.wiring.production_checks import host_of

CALLBACK = "/auth/callback"


class Cookies(NamedTuple):
    """Browsers accept a `__Host-` cookie only over https and send it only to its host.

    On a person's own machine there is no https, and Safari takes no secure cookie there: another
    name, so that neither is ever taken for the other.
    """

    is_secure: bool

    @classmethod
    def of(cls, settings: Settings) -> "Cookies":
        # Also by the page's address: if it is public, so is this server.
        urls = (settings.backend_url, settings.github_redirect_uri, settings.frontend_url)
        names = (*map(host_of, urls), settings.domain)
        return cls(is_secure=any(name and name not in LOOPBACK for name in names))

    @property
    def login(self) -> str:
        return "__Host-yudai" if self.is_secure else "yudai-loopback"

    @property
    def attempt(self) -> str:
        return f"{self.login}-login"

    def read(self, request: Request) -> str:
        return request.cookies.get(self.login, "")

    def keep(self, response: Response, secret: str) -> None:
        self._set(response, self.login, secret, ABSOLUTE_S)
        self._set(response, self.attempt, "", 0)

    def begin(self, response: Response, ticket: str) -> None:
        self._set(response, self.attempt, ticket, ATTEMPT_S)

    def forget(self, response: Response) -> None:
        self._set(response, self.login, "", 0)

    def forget_attempt(self, response: Response) -> None:
        self._set(response, self.attempt, "", 0)

    def _set(self, response: Response, name: str, value: str, lasts_s: float) -> None:
        # Lax, not Strict: the callback is a link from another site.
        response.set_cookie(
            name,
            value,
            max_age=int(lasts_s),
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="lax",
        )


def redirect_uri(settings: Settings, request: Request) -> str:
    """The callback URL: configured, else from the request's host."""
    if settings.github_redirect_uri:
        return settings.github_redirect_uri
    if settings.backend_url:
        return f"{origin_of(settings.backend_url)}{CALLBACK}"
    host = request.headers["host"]
    scheme = "http" if (host_of(f"//{host}") or "") in LOOPBACK else "https"
    return f"{scheme}://{host}{CALLBACK}"


def return_target(text: str, settings: Settings) -> str:
    """A path of this server or of FRONTEND_URL; anything else means the first page."""
    home = (settings.frontend_url or "").rstrip("/")
    path = text
    if home and (text == home or text.startswith(f"{home}/")):
        path = text[len(home) :] or "/"
    is_path = path.startswith("/") and not path.startswith(("//", "/\\"))
    if not is_path or "\\" in path or not path.isprintable() or not path.isascii():
        path = "/"
    return f"{home}{path}"


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
