"""A Unix socket that a sandbox sees: one task per connection, all of which end with the socket."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

Serve = Callable[[socket.socket, bool], Coroutine[Any, Any, None]]
"""Serves one connection; the flag says whether there are too many. It need not close it."""

_BACKLOG = 256
_PAUSE_S = 1.0


class Listener:
    def __init__(self, path: Path, serve: Serve, *, connections: int) -> None:
        """`connections` are served at once; as many more get an answer that it is full.

        Every user who may enter the folder of `path` may connect.
        """
        self._path = path
        self._serve = serve
        self._most = connections
        self._lines: set[asyncio.Task[None]] = set()
        self._listener: socket.socket | None = None

    def start(self) -> None:
        self._listener = _listen(self._path)
        self._watch()

    def stop(self) -> None:
        """Stop accepting connections and remove the socket; idempotent."""
        listener, self._listener = self._listener, None
        if listener is not None:
            asyncio.get_running_loop().remove_reader(listener)
            listener.close()
            self._path.unlink(missing_ok=True)

    async def close(self) -> None:
        """Idempotent; nothing of it listens or is connected afterwards."""
        self.stop()
        lines = list(self._lines)
        for line in lines:
            line.cancel()
        if lines:
            await asyncio.wait(lines)

    def _watch(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)

    def _accept(self, listener: socket.socket) -> None:
        """By hand: a server of asyncio loses who comes while it is closed, and leaves them open."""
        try:
            client = listener.accept()[0]
        except BlockingIOError:
            return
        except OSError:
            # No descriptor is left: waiting connections stay in the queue for a while.
            loop = asyncio.get_running_loop()
            loop.remove_reader(listener)
            loop.call_later(_PAUSE_S, self._watch)
            return
        if len(self._lines) >= 2 * self._most:
            client.close()
            return
        client.setblocking(False)  # noqa: FBT003 - its only argument
        is_full = len(self._lines) >= self._most
        task = asyncio.create_task(self._serve(client, is_full))
        self._lines.add(task)
        task.add_done_callback(self._lines.discard)
        # One that is cancelled before its first step has not even begun.
        task.add_done_callback(lambda _: client.close())


def _listen(path: Path) -> socket.socket:
    """The kernel takes only short socket names: this one goes through its folder's descriptor."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.setblocking(False)  # noqa: FBT003 - its only argument
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        # The sandbox's user may differ from ours; the folder keeps all other users out.
        path.chmod(0o666)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    finally:
        os.close(folder)
    return listener
