"""Streams, copied with backpressure; Unix sockets that a sandbox connects to, and their reports."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from yudai.sandboxes.port import Blocked, OnBlocked, Phase, ignore_blocked

CHUNK = 1 << 16
_LINGER_S = 5.0
_BACKLOG = 256
_PAUSE_S = 1.0
_MAX_REPORTED = 100

Serve = Callable[[socket.socket, bool], Coroutine[Any, Any, None]]
"""Serves one connection; the flag says whether there are too many. It need not close it."""


class Stream(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def finish(self) -> None:
        """Close it when the other side has read everything, or after a time-out."""
        with suppress(OSError):
            async with asyncio.timeout(_LINGER_S):
                self.writer.close()
                await self.writer.wait_closed()

    def cut(self) -> None:
        # Python 3.11 does not look whether it is over already, and then has no loop to ask.
        with suppress(AttributeError):
            self.writer.transport.abort()


class Patience(NamedTuple):
    """None: no deadline."""

    idle_s: float | None = 300.0
    half_s: float | None = 60.0
    """Seconds after one side has ended."""


ENDLESS = Patience(None, None)


async def join(client: Stream, server: Stream, patience: Patience) -> None:
    """Copy both ways until both are done; TimeoutError when nothing moves for too long."""
    halves = 0

    async def half(source: Stream, target: Stream) -> None:
        nonlocal halves
        await copy(source, target, stir)
        halves += 1
        stir()

    def stir() -> None:
        put_off(limit, patience.half_s if halves else patience.idle_s)

    async with asyncio.timeout(patience.idle_s) as limit, asyncio.TaskGroup() as group:
        group.create_task(half(client, server))
        group.create_task(half(server, client))


def put_off(limit: asyncio.Timeout, seconds: float | None) -> None:
    """Set the deadline from now; None: none."""
    limit.reschedule(None if seconds is None else asyncio.get_running_loop().time() + seconds)


async def copy(source: Stream, target: Stream, stir: Callable[[], None]) -> None:
    """Copy to the end and pass the end on. A broken connection ends this direction."""
    with suppress(OSError):
        while data := await source.reader.read(CHUNK):
            stir()
            await target.send(data)
            stir()
    if target.writer.can_write_eof():
        with suppress(OSError):
            target.writer.write_eof()


@dataclass(frozen=True)
class BlockedHosts:
    """Reports each host that one sandbox was kept from once, up to a limit."""

    phase: Phase
    owner: str
    on_blocked: OnBlocked = ignore_blocked
    _reported: set[Blocked] = field(default_factory=set[Blocked])

    def report(self, host: str, port: int) -> None:
        blocked = Blocked(host=host, port=port, phase=self.phase, owner=self.owner)
        if blocked not in self._reported and len(self._reported) < _MAX_REPORTED:
            self._reported.add(blocked)
            self.on_blocked(blocked)


class Listener:
    """Serves each connection in a task; all of them end with the socket."""

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
        """Idempotent; afterwards it has no listener and no connection."""
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
        """Not by asyncio's server: when it is closed, it leaves fresh connections open."""
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
        # A task that is cancelled before its first step has not started.
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
