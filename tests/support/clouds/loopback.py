"""An ASGI application on a port of loopback, served by a thread of its own."""

import asyncio
import socket
from threading import Thread

import uvicorn
from starlette.types import ASGIApp


class Loopback:
    """With: it answers. After: its thread has ended."""

    def __init__(self, app: ASGIApp) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            date_header=False,
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._run, name="loopback", daemon=True)

    def __enter__(self) -> "Loopback":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()
        self._socket.close()

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))
