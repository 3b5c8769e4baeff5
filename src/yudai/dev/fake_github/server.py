"""The fake GitHub as one ASGI application, and the server that answers with it."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from yudai.dev.fake_github import git_http, oauth
from yudai.dev.fake_github.errors import not_found
from yudai.dev.fake_github.git_http import GitHttp
from yudai.dev.fake_github.middleware import DROP, Front
from yudai.dev.fake_github.pages import consent, pages
from yudai.dev.fake_github.rest import app, endpoint, issues, pulls, repositories
from yudai.dev.fake_github.rest.endpoint import PREFIX, encode
from yudai.dev.fake_github.state import State
from yudai.kit.http_server import serve_http

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
