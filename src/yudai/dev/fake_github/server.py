"""Serves the application in an event loop, or in a thread of its own."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from yudai.dev.fake_github.app import create_app
from yudai.dev.fake_github.middleware import DROP
from yudai.dev.fake_github.state import State

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


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """They belong to whoever started us."""
        yield


def server_of(state: State) -> _Server:
    return _Server(
        uvicorn.Config(
            create_app(state),
            http=_Droppable,
            ws="none",
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=_GRACE_S,
            server_header=False,
            proxy_headers=False,
        )
    )


@asynccontextmanager
async def answering(state: State, listener: socket.socket) -> AsyncGenerator[asyncio.Task[None]]:
    """Until this is left."""
    server = server_of(state)
    task = asyncio.create_task(server.serve(sockets=[listener]), name="fake-github")
    try:
        yield task
    finally:
        server.should_exit = True
        await asyncio.wait([task])


def bind(port: int = 0) -> socket.socket:
    """On loopback, and listening: who comes while we start waits."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    return listener


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"
