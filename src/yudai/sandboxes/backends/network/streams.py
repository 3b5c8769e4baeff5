"""Lines, and bytes between two of them: no faster than the slower one, each end passed on."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

CHUNK = 1 << 16
_LINGER_S = 5.0


class Line(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def finish(self) -> None:
        """Let go of it once the other side has what was sent, or has had the time for that."""
        with suppress(OSError):
            async with asyncio.timeout(_LINGER_S):
                self.writer.close()
                await self.writer.wait_closed()

    def cut(self) -> None:
        # Python 3.11 does not look whether it is over already, and then has no loop to ask.
        with suppress(AttributeError):
            self.writer.transport.abort()


class Patience(NamedTuple):
    """None has no end."""

    idle_s: float | None = 300.0
    half_s: float | None = 60.0
    """Once one side has no more to say."""


ENDLESS = Patience(None, None)


async def join(client: Line, server: Line, patience: Patience) -> None:
    """Copy both ways until both are done; TimeoutError when nothing moves for too long."""
    halves = 0

    async def half(source: Line, target: Line) -> None:
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
    """So long from now; None: there is no end any more."""
    limit.reschedule(None if seconds is None else asyncio.get_running_loop().time() + seconds)


async def copy(source: Line, target: Line, stir: Callable[[], None]) -> None:
    """Until there is no more, which is then passed on; a broken line is the end of this way."""
    with suppress(OSError):
        while data := await source.reader.read(CHUNK):
            stir()
            await target.send(data)
            stir()
    if target.writer.can_write_eof():
        with suppress(OSError):
            target.writer.write_eof()
