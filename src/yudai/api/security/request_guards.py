"""Guards around all routes: allowed hosts and origins, body size, response headers."""

import re
from collections.abc import Collection
from typing import NamedTuple
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yudai.agents.endpoint import port as model_endpoint
from yudai.agents.endpoint.port import ModelAnswer
from yudai.agents.endpoint.responses import TOO_LARGE, refused
from yudai.api.errors import ApiError, Code, answer
from yudai.kit.clock import Clock
from yudai.solves.domain.asked_patch import MAX_TOTAL

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_BODY = 1_000_000
MAX_REQUEST = MAX_BODY + 2 * MAX_TOTAL
"""Of a request that brings patches: as JSON they are longer, as Base64 by a third."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.IGNORECASE)
_OWN_SITE = frozenset({"same-origin", "none"})
_NO_BODY = frozenset({None, "0"})
_PLAIN = frozenset({"", "identity"})
_MODEL = "/api/model/"
_TAKES_PATCHES = frozenset({"/solve", "/api/solves", "/api/forecasts"})


class Allowed(NamedTuple):
    """Besides the loopback addresses."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    """As browsers send them: `https://yudai.example.org`."""
    models: frozenset[str] = frozenset()
    """Host names that serve only the model endpoint."""
    takes_keys: bool = False
    """A request with a key is not identified by cookies, so other sites cannot misuse it."""

    @classmethod
    def of(
        cls,
        hosts: Collection[str],
        origins: Collection[str],
        *,
        models: Collection[str] = (),
        takes_keys: bool = False,
    ) -> "Allowed":
        return cls(
            LOOPBACK | {host.lower() for host in hosts},
            frozenset(origin.lower().rstrip("/") for origin in origins),
            frozenset(host.lower() for host in models),
            takes_keys,
        )

    def knows(self, host: str, path: str) -> bool:
        return host in self.hosts or (path.startswith(_MODEL) and host in self.models)


class Guard:
    """Refuses requests with foreign host names and from pages of other sites.

    A hostile page can make its own name mean 127.0.0.1 and ask from the person's browser. The Host
    header then still says the page's name, and its Origin shows where the request comes from.
    """

    def __init__(self, app: ASGIApp, *, allowed: Allowed) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        error = self._host_error(headers, scope["path"])
        error = error or self._origin_error(headers, scope["method"])
        app = self._app if error is None else answer(error, scope)
        await app(scope, receive, send)

    def _host_error(self, headers: Headers, path: str) -> ApiError | None:
        hosts = headers.getlist("host")
        found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if found and self._allowed.knows(found[1].lower(), path):
            return None
        return ApiError(Code.MISDIRECTED_HOST, "use a host name that this server is configured for")

    def _origin_error(self, headers: Headers, method: str) -> ApiError | None:
        if method in SAFE:
            return None
        if self._allowed.takes_keys and "authorization" in headers:
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin.lower() in self._allowed.origins:
            return None
        is_own = origin is None or _netloc(origin) == headers["host"].lower()
        if is_own and (site is None or site.lower() in _OWN_SITE):
            return None
        return ApiError(Code.CROSS_ORIGIN, "only this server's own pages may change anything")


def _netloc(origin: str) -> str | None:
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return None
    return parts.netloc if parts.scheme in ("http", "https") else None


class BodyLimit:
    """Limits the size of received bodies and refuses compressed ones."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_model = scope["path"].startswith(_MODEL)
        most = _most(scope["path"])
        if is_model and _length_error(headers, most):
            await model_response(refused(TOO_LARGE, _too_large(most)))(scope, receive, send)
            return
        error = _length_error(headers, most) or _encoding_error(headers, scope["method"])
        if error is not None:
            await answer(error, scope)(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most and is_model:
                raise model_endpoint.BodyTooLargeError(_too_large(most))
            if received > most:
                # HTTPException, the only kind that the framework passes on while it reads the body.
                raise HTTPException(413, _too_large(most))
            return message

        await self._app(scope, counted, send)


def _most(path: str) -> int:
    if path.startswith(_MODEL):
        # Agents send their whole conversation with each model call.
        return model_endpoint.MAX_BODY
    return MAX_REQUEST if path in _TAKES_PATCHES else MAX_BODY


def model_response(answered: ModelAnswer) -> Response:
    return Response(
        answered.content, answered.status, headers=answered.headers, media_type=answered.media_type
    )


def _too_large(most: int) -> str:
    return f"a body has at most {most:,} bytes"


def _length_error(headers: Headers, most: int) -> ApiError | None:
    length = headers.get("content-length", "")
    is_too_large = length.isdecimal() and int(length[:20]) > most
    return ApiError(Code.TOO_LARGE, _too_large(most)) if is_too_large else None


def _encoding_error(headers: Headers, method: str) -> ApiError | None:
    given = ",".join(headers.getlist("content-encoding"))
    unknown = [name for part in given.split(",") if (name := part.strip().lower()) not in _PLAIN]
    if not unknown or not _has_body(headers, method):
        return None
    return ApiError(
        Code.UNSUPPORTED_MEDIA_TYPE,
        f"send the body as it is, without Content-Encoding: {unknown[0][:40]}",
        headers={"Accept-Encoding": "identity"},
    )


def _has_body(headers: Headers, method: str) -> bool:
    if method in SAFE:
        return False
    return headers.get("content-length") not in _NO_BODY or "transfer-encoding" in headers


async def json_only(request: Request) -> None:
    """Refuse bodies that a form on another site could send."""
    headers = request.headers
    if not _has_body(headers, request.method):
        return
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ApiError(Code.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json")


# Defaults; a route's own header wins.
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_OVER_HTTPS = {"strict-transport-security": "max-age=31536000"}


class ResponseHeaders:
    def __init__(self, app: ASGIApp, *, clock: Clock, is_https: bool = False) -> None:
        self._app = app
        self._clock = clock
        self._headers = _HEADERS | (_OVER_HTTPS if is_https else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = self._clock.token()
        scope.setdefault("state", {})["request_id"] = request_id
        started = False

        async def send_marked(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_marked)
            except Exception as error:
                if started:
                    raise
                await answer(error, scope)(scope, receive, send_marked)
