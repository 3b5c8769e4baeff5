"""Streams, and copying bytes between two of them with backpressure; an end is passed on."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

CHUNK = 1 << 16
_LINGER_S = 5.0


class Stream(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def finish(self) -> None:
        """Close it once the other side has read what was sent, or its time is up."""
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
    """So long from now; None: there is no end any more."""
    limit.reschedule(None if seconds is None else asyncio.get_running_loop().time() + seconds)


async def copy(source: Stream, target: Stream, stir: Callable[[], None]) -> None:
    """Until there is no more, which is then passed on; a broken line is the end of this way."""
    with suppress(OSError):
        while data := await source.reader.read(CHUNK):
            stir()
            await target.send(data)
            stir()
    if target.writer.can_write_eof():
        with suppress(OSError):
            target.writer.write_eof()
