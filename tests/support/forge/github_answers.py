"""A server that answers as it is told, for what no well-behaved GitHub would do."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    document: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    cut: bool = False
    """The connection ends without an answer."""
    hold: asyncio.Event | None = None
    """No answer before this."""


Play = Callable[[Asked], Reply]


class AnswerServer:
    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.at_once = 0
        self.most_at_once = 0
        self.url = ""
        self._replies: list[Reply] = []
        self._play: Play | None = None
        self._arrival = asyncio.Condition()

    async def until_at_once(self, number: int) -> None:
        async with self._arrival:
            await self._arrival.wait_for(lambda: self.at_once >= number)

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/v3"

    def reply(self, *replies: Reply) -> None:
        """One after the other; the last one from then on."""
        self._replies = list(replies)
        self._play = None

    def play(self, play: Play) -> None:
        self._play = play

    def _next(self, asked: Asked) -> Reply:
        if self._play:
            return self._play(asked)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await _read(reader)
            self.asked.append(asked)
            async with self._arrival:
                self.at_once += 1
                self._arrival.notify_all()
            self.most_at_once = max(self.most_at_once, self.at_once)
            reply = self._next(asked)
            if reply.hold:
                await reply.hold.wait()
            self.at_once -= 1
            if not reply.cut:
                writer.write(_written(reply))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def answering() -> AsyncGenerator[AnswerServer]:
    server = AnswerServer()
    listening = await asyncio.start_server(server._serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    kept = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
    whole = {name.lower(): value for name, value in kept.items()}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    return Asked(method, parts.path, parse_qs(parts.query), whole, body)


def _written(reply: Reply) -> bytes:
    body = reply.raw if reply.raw is not None else json.dumps(reply.document).encode()
    if reply.status == 304:
        body = b""
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **reply.headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} X\r\n{head}\r\n".encode() + body
