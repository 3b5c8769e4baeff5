"""A process in a fake VM, seen from outside: its streams and its end; nothing here has a loop."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

PIPE: Literal["pipe"] = "pipe"
Stdin = bytes | Literal["pipe"] | None
_CHUNK = 1 << 16


class VMDiedError(ConnectionError):
    """The machine was killed while somebody used it."""


class Pipe:
    """One end of a pipe, read or written without blocking the loop."""

    def __init__(self, file: int) -> None:
        os.set_blocking(file, False)
        self._file = file

    async def read(self, size: int = -1) -> bytes:
        """Some bytes, at most `size`, b"" at the end; without a size everything until the end."""
        if size < 0:
            return b"".join([chunk async for chunk in self])
        while self._file >= 0:
            try:
                chunk = os.read(self._file, size)
            except BlockingIOError:
                await self._ready("add_reader", "remove_reader")
                continue
            if not chunk:
                self.close()
            return chunk
        return b""

    async def __aiter__(self):
        while chunk := await self.read(_CHUNK):
            yield chunk

    async def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._file, rest) :]
            except BlockingIOError:
                await self._ready("add_writer", "remove_writer")

    def close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    async def _ready(self, add: str, remove: str) -> None:
        loop, file = asyncio.get_running_loop(), self._file
        ready = loop.create_future()
        getattr(loop, add)(file, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            getattr(loop, remove)(file)


class Process:
    def __init__(self, news: Pipe, stdin: Pipe | None, stdout: Pipe, stderr: Pipe) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.pid = 0
        self._news = _News(news)

    @classmethod
    async def started(cls, stdin: Stdin, ask: Callable[[Sequence[int]], None]) -> "Process":
        """`ask` gets their ends: stdin, stdout, stderr, news."""
        entry, feed = _stdin(stdin)
        pipes = [os.pipe() for _ in range(3)]
        theirs = [entry, *(writer for _, writer in pipes)]
        stdout, stderr, news = (Pipe(reader) for reader, _ in pipes)
        process = cls(news, feed, stdout, stderr)
        try:
            _hand_over(ask, theirs)
            process.pid = _pid(await process._news.next())
        except BaseException:
            process.close()
            raise
        return process

    @staticmethod
    async def asked(ask: Callable[[Sequence[int]], None]) -> bool:
        reader, writer = os.pipe()
        nothing = [os.open(os.devnull, os.O_RDWR) for _ in range(3)]
        news = _News(Pipe(reader))
        try:
            _hand_over(ask, [*nothing, writer])
            return (await news.next())["sent"]
        finally:
            news.close()

    async def wait(self) -> int:
        """Its exit code, or minus a signal; VMDiedError when the machine has died before."""
        return (await self._news.last())["exit"]

    def close(self) -> None:
        """Let go of it; it may run on."""
        for pipe in (self.stdin, self.stdout, self.stderr, self._news):
            if pipe is not None:
                pipe.close()


class _News:
    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._text = b""
        self._last: dict[str, Any] | None = None
        self._turn = asyncio.Lock()

    async def next(self) -> dict[str, Any]:
        while b"\n" not in self._text:
            chunk = await self._pipe.read(_CHUNK)
            if not chunk:
                raise VMDiedError("the machine died")
            self._text += chunk
        line, _, self._text = self._text.partition(b"\n")
        return json.loads(line)

    async def last(self) -> dict[str, Any]:
        """The same for everybody who waits."""
        async with self._turn:
            if self._last is None:
                self._last = await self.next()
            return self._last

    def close(self) -> None:
        self._pipe.close()


def _stdin(stdin: Stdin) -> tuple[int, Pipe | None]:
    if stdin is None:
        return os.open(os.devnull, os.O_RDONLY), None
    if isinstance(stdin, bytes):
        file = os.memfd_create("stdin")
        with open(file, "wb", closefd=False) as sheet:
            sheet.write(stdin)
        os.lseek(file, 0, os.SEEK_SET)
        return file, None
    reader, writer = os.pipe()
    return reader, Pipe(writer)


def _pid(said: dict[str, Any]) -> int:
    if "error" in said:
        raise OSError(said["error"])
    return said["pid"]


def _hand_over(ask: Callable[[Sequence[int]], None], files: Sequence[int]) -> None:
    """They have them, or nobody: ours are closed."""
    try:
        ask(files)
    finally:
        for file in files:
            os.close(file)
