"""Serves HTTP in our own event loop, on a listening socket."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any


@asynccontextmanager
async def serve_http(
    app: Any, listener: socket.socket, *, grace_s: int, name: str = "http", **options: Any
) -> AsyncGenerator[asyncio.Task[None]]:
    """Answer requests until the block ends; open ones get a few seconds."""
    # Only here: it costs start-up time.
    import uvicorn  # noqa: PLC0415

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Generator[None]:
            """Signals belong to the program that serves."""
            yield

    server = Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=grace_s,
            server_header=False,
            proxy_headers=False,
            **options,
        )
    )
    task = asyncio.create_task(server.serve(sockets=[listener]), name=name)
    try:
        yield task
    finally:
        server.should_exit = True
        await asyncio.wait([task])
