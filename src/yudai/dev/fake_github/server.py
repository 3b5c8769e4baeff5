"""The fake GitHub as one ASGI application, and the server that answers with it."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from yudai.dev.fake_github import git_http, oauth, request_log
from yudai.dev.fake_github.errors import not_found
from yudai.dev.fake_github.faults import Fault
from yudai.dev.fake_github.git_http import GitHttp
from yudai.dev.fake_github.pages import consent, pages
from yudai.dev.fake_github.rest import app, endpoint, issues, pulls, repositories
from yudai.dev.fake_github.rest.endpoint import BODY, LOGIN, PREFIX, encode
from yudai.dev.fake_github.state import State
from yudai.kit.http_server import serve_http

DROP = "fake_github.drop"
"""Where a scope has the function that closes its connection."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Front:
    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        entry = _Entry(self._state, request)

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                # The log must have it once the client has the response.
                entry.write(message["status"])
            await send(message)

        try:
            await self._answer(request, receive, noted, entry)
        finally:
            entry.write(0)

    async def _answer(
        self, request: Request, receive: Receive, send: Send, entry: "_Entry"
    ) -> None:
        scope = request.scope
        if not _is_ours(request):
            await PlainTextResponse("ask for 127.0.0.1\n", 421)(scope, receive, send)
            return
        fault = self._state.faults.take(request.method, request.url.path)
        if fault is None:
            await self._app(scope, receive, send)
            return
        # Unread data would make the connection end with a reset.
        await (self._app(scope, receive, _nowhere) if fault.after else _drain(receive))
        if fault.strike is not None:
            fault.strike()
        if fault.status == "drop":
            entry.write(0)
            await _drop(scope, receive)
            return
        await _fail(fault, fault.status)(scope, receive, send)


class _Entry:
    """One line of the log, written once."""

    def __init__(self, state: State, request: Request) -> None:
        self._state = state
        self._request = request
        self._is_written = False

    def write(self, status: int) -> None:
        if self._is_written:
            return
        self._is_written = True
        request = self._request
        self._state.log.add(
            request_log.Request(
                method=request.method,
                path=request.url.path,
                query=request.url.query,
                login=request.scope.get(LOGIN, ""),
                body=request.scope.get(BODY),
                status=status,
            )
        )


def _is_ours(request: Request) -> bool:
    """A hostile page can give its own name our address."""
    try:
        return urlsplit(f"//{request.headers.get('host', '')}").hostname in _LOOPBACK
    except ValueError:
        return False


async def _nowhere(_: Message) -> None:
    pass


async def _drain(receive: Receive) -> None:
    while (await receive()).get("more_body"):
        pass


async def _drop(scope: Scope, receive: Receive) -> None:
    scope[DROP]()
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()


def _fail(fault: Fault, status: int) -> Response:
    body = json.dumps({"message": fault.message, "documentation_url": "https://docs.github.com"})
    return Response(body, status, {"Content-Type": "application/json", **fault.headers})


ENDPOINTS = (
    *repositories.ENDPOINTS,
    *issues.ENDPOINTS,
    *pulls.ENDPOINTS,
    *app.ENDPOINTS,
)


_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def create_app(state: State) -> ASGIApp:
    git = GitHttp(state)
    return Front(
        Starlette(
            routes=[
                *endpoint.routes(state, ENDPOINTS),
                Route(PREFIX + "/{rest:path}", _nothing, methods=_METHODS),
                *oauth.routes(state),
                *consent.routes(state),
                Route("/{owner}/{repo}.git/{rest:path}", git),
                *(Route(f"/{{owner}}/{{repo}}/{path}", git) for path in git_http.PATHS),
                *pages.routes(state),
            ]
        ),
        state,
    )


async def _nothing(_: Request) -> Response:
    refusal = not_found()
    return Response(encode(refusal.document()), refusal.status, media_type="application/json")


_GRACE_S = 3


class _Droppable(H11Protocol):
    """A connection that the application can close without an answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        inner: ASGIApp = self.app

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            scope[DROP] = transport.abort
            await inner(scope, receive, send)

        self.app = app


@asynccontextmanager
async def answering(state: State, listener: socket.socket) -> AsyncGenerator[asyncio.Task[None]]:
    """Answer requests until the block is left."""
    app = create_app(state)
    async with serve_http(app, listener, grace_s=_GRACE_S, http=_Droppable, ws="none") as task:
        yield task
