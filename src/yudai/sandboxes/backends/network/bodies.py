"""Bodies of requests: as long as their heads say, so that nothing else follows on the line."""

import re
from asyncio import LimitOverrunError
from collections.abc import Callable
from contextlib import suppress

from yudai.sandboxes.backends.network.http import FRAMING, AnswerError, Head, connection_words
from yudai.sandboxes.backends.network.streams import CHUNK, Line

_END = b"\r\n"
_LENGTH = re.compile(r"\d{1,18}\Z", re.ASCII)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n\Z")

Stir = Callable[[], None]


def length_of(head: Head) -> int | None:
    """How many bytes follow a request's head; None: chunks do. AnswerError when that is unclear."""
    lengths = _values(head, "content-length")
    codings = _values(head, "transfer-encoding")
    if connection_words(head.fields) & FRAMING:
        raise AnswerError(400, "Connection names what says where the request ends")
    if not codings and not lengths:
        return 0
    if codings == ["chunked"] and not lengths and head.first[2] == "HTTP/1.1":
        return None
    if not codings and len(lengths) == 1 and _LENGTH.match(lengths[0]):
        return int(lengths[0])
    raise AnswerError(400, "it is not clear where the request ends")


async def pass_body(client: Line, server: Line, length: int | None, stir: Stir) -> None:
    """What comes after it is nobody's; who breaks off before its end is told so by ours."""
    with suppress(OSError):
        try:
            if length is None:
                await _pass_chunks(client, server, stir)
            else:
                await _pass(client, server, length, stir)
        except (EOFError, ValueError):
            if server.writer.can_write_eof():
                server.writer.write_eof()


async def _pass_chunks(client: Line, server: Line, stir: Stir) -> None:
    while True:
        line = await _line(client)
        found = _SIZE.match(line)
        if found is None:
            raise ValueError("the size of a chunk cannot be read")
        await server.send(line)
        size = int(found[1], 16)
        if size == 0:
            break
        await _pass(client, server, size, stir)
        if await _line(client) != _END:
            raise ValueError("a chunk is longer than it says")
        await server.send(_END)
    # Fields may follow, too; none is for the next hop.
    while await _line(client) != _END:
        stir()
    await server.send(_END)


async def _pass(client: Line, server: Line, length: int, stir: Stir) -> None:
    while length:
        data = await client.reader.read(min(CHUNK, length))
        if not data:
            raise EOFError
        stir()
        await server.send(data)
        stir()
        length -= len(data)


async def _line(client: Line) -> bytes:
    """ValueError: it is too long."""
    try:
        return await client.reader.readuntil(_END)
    except LimitOverrunError as error:
        raise ValueError("a line is too long") from error


def _values(head: Head, wanted: str) -> list[str]:
    return [value.lower() for name, value in head.fields if name.lower() == wanted]
