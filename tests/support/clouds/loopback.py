"""An ASGI application on a port of loopback, served by a thread of its own."""

import asyncio
import socket
from threading import Thread

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState


class Loopback:
    """With: it answers. After: its thread has ended, and so has whatever it still answered.

    Only uvicorn's protocol: its server looks for its end ten times a second and waits for others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._config = uvicorn.Config(app, log_config=None, access_log=False, date_header=False)
        self._thread = Thread(target=self._run, name="loopback", daemon=True)

    def __enter__(self) -> "Loopback":
        self._loop, self._end = asyncio.new_event_loop(), asyncio.Event()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(30)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._config.load()
        state = ServerState()
        server = await self._loop.create_server(
            lambda: H11Protocol(config=self._config, server_state=state, app_state={}),
            sock=self._socket,
        )
        await self._end.wait()
        server.close()
        # Since Python 3.12 a server waits for connections that clients keep open.
        for connection in list(state.connections):
            connection.transport.abort()
        await server.wait_closed()
