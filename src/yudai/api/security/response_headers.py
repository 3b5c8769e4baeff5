"""Adds a request id and security headers to every response, and hides tracebacks."""

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yudai.api.errors import answer
from yudai.kit.clock import Clock

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
