"""HTTP messages: reads heads with a limit, writes them for the next hop, measures bodies.

Heads are taken apart here: h11 accepts what a proxy has to refuse (see decision 0016). It reads
chunks, though, and they are written again, so that no other size than the one it read is passed on.
"""

import asyncio
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

import h11

from yudai.sandboxes.backends.network.streams import CHUNK, Stream
from yudai.sandboxes.domain.allowed_hosts import authority, canonical, split
from yudai.sandboxes.port import UNKNOWN_PORT

MAX_HEAD = 32 << 10
_END = b"\r\n\r\n"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_TARGET = re.compile(r"[!-~]+\Z")
_VERSIONS = ("HTTP/1.0", "HTTP/1.1")
_HOP_BY_HOP = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "upgrade"),
        # A hop limit makes the upstream proxy answer itself, and it knows our credentials.
        "max-forwards",
    }
)
_FRAMING = frozenset({"content-length", "transfer-encoding"})
_SCHEMES = {"http": 80, "https": 443}
_MAX_HOST = 253
_LENGTH = re.compile(r"\d{1,18}\Z", re.ASCII)
_CHUNKED = b"POST / HTTP/1.1\r\nHost: -\r\nTransfer-Encoding: chunked\r\n\r\n"

Stir = Callable[[], None]
Fields = tuple[tuple[str, str], ...]


class AnswerError(Exception):
    """A refusal that is sent to the client as one line."""

    def __init__(self, status: int, text: str, *, blocked: "Place | None" = None) -> None:
        """`blocked` is the requested host, which is reported unless the list allows it."""
        super().__init__(text)
        self.status = status
        self.text = text
        self.blocked = blocked


class Head(NamedTuple):
    first: tuple[str, str, str]
    fields: Fields


class Place(NamedTuple):
    host: str
    port: int
    path: str = ""
    """The host of a request that is not for a tunnel."""

    @property
    def authority(self) -> str:
        return authority(self.host, self.port)


async def read_head(reader: asyncio.StreamReader) -> Head:
    """EOFError when the client sends nothing; the reader's limit has to be MAX_HEAD."""
    try:
        text = (await reader.readuntil(_END)).decode("latin-1")
    except asyncio.LimitOverrunError:
        raise AnswerError(431, f"the head of the message has more than {MAX_HEAD} bytes") from None
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise AnswerError(400, "the head of the message is incomplete") from None
        raise EOFError from None
    start, *lines = text.removesuffix("\r\n\r\n").split("\r\n")
    first, second, third, *_ = [*start.split(" ", 2), "", ""]
    return Head((first, second, third), tuple(map(_field, lines)))


def place_of(head: Head) -> Place:
    """The host that a request is for; AnswerError when it is not a proxy request."""
    method, target, version = head.first
    if version not in _VERSIONS or not _TOKEN.match(method) or not _TARGET.match(target):
        raise AnswerError(400, "this is not an HTTP/1 request")
    if method.upper() == "TRACE":
        raise AnswerError(405, "TRACE would reveal headers that a proxy added")
    try:
        return _tunnel(target) if method == "CONNECT" else _absolute(target)
    except ValueError:
        text = "the request has no valid host"
        raise AnswerError(400, text, blocked=_named(target)) from None


def request(head: Head, place: Place, *, target: str, more: Fields = ()) -> bytes:
    """The request for its host, or for an upstream proxy; the last one on its connection."""
    kept = ((name, value) for name, value in _end_to_end(head.fields) if name.lower() != "host")
    host = place.host if ":" not in place.host else f"[{place.host}]"
    host += "" if place.port == 80 else f":{place.port}"
    first = f"{head.first[0]} {target} {head.first[2]}"
    return _write(first, (("Host", host), *kept, *more, ("Connection", "close")))


def response(head: Head) -> bytes:
    """The response for the client, with `Connection: close`."""
    fields = _end_to_end(head.fields)
    return _write(" ".join(head.first).rstrip(), (*fields, ("Connection", "close")))


def status_of(head: Head) -> int:
    """Read the head of a response; AnswerError if it is invalid."""
    version, status, _ = head.first
    if not version.startswith("HTTP/1.") or not re.fullmatch(r"[1-5]\d\d", status):
        raise AnswerError(502, "the server's response is not HTTP/1")
    return int(status)


def refusal(error: AnswerError) -> bytes:
    """Clients of a tunnel show only the first line, so it has the whole message."""
    body = f"yudai: {error.text}\n"
    fields = (
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
    )
    return _write(f"HTTP/1.1 {error.status} {error.text}", fields) + body.encode("latin-1")


def length_of(head: Head) -> int | None:
    """The number of body bytes; None: chunked. AnswerError if that is ambiguous."""
    lengths = _values(head, "content-length")
    codings = _values(head, "transfer-encoding")
    if _connection_words(head.fields) & _FRAMING:
        raise AnswerError(400, "Connection names a header that defines where the request ends")
    if not codings and not lengths:
        return 0
    if codings == ["chunked"] and not lengths and head.first[2] == "HTTP/1.1":
        return None
    if not codings and len(lengths) == 1 and _LENGTH.match(lengths[0]):
        return int(lengths[0])
    raise AnswerError(400, "it is ambiguous where the request ends")


async def pass_body(client: Stream, server: Stream, length: int | None, stir: Stir) -> None:
    """Bytes after the body are dropped. A body that breaks off early closes our side early too."""
    with suppress(OSError):
        try:
            if length is None:
                await _pass_chunks(client, server, stir)
            else:
                await _pass(client, server, length, stir)
        except (EOFError, h11.RemoteProtocolError):
            if server.writer.can_write_eof():
                server.writer.write_eof()


def _tunnel(target: str) -> Place:
    host, port = split(target)
    if port is None:
        raise ValueError("a tunnel needs a port")
    return Place(canonical(host), port)


def _absolute(target: str) -> Place:
    if target.startswith("/"):
        raise AnswerError(400, "this is a proxy: send the full URL")
    parts = urlsplit(target)
    if parts.scheme != "http":
        text = "only http URLs are proxied: open a tunnel (CONNECT) for everything else"
        raise AnswerError(400, text, blocked=_named(target))
    path = parts.path or "/"
    path += f"?{parts.query}" if parts.query else ""
    return Place(canonical(parts.hostname or ""), parts.port or 80, path)


def _named(target: str) -> Place | None:
    """The host in an invalid target, as sent; None: there is none."""
    try:
        parts = urlsplit(target if "://" in target else f"//{target}")
        host = parts.hostname
    except ValueError:
        return None
    try:
        port = parts.port or _SCHEMES.get(parts.scheme, UNKNOWN_PORT)
    except ValueError:
        port = UNKNOWN_PORT
    return Place(host[:_MAX_HOST], port) if host else None


def _field(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.match(name) or re.search(r"[\r\n\0]", value):
        raise AnswerError(400, "a header line is not `name: value`")
    return name, value.strip(" \t")


def _values(head: Head, wanted: str) -> list[str]:
    return [value.lower() for name, value in head.fields if name.lower() == wanted]


def _connection_words(fields: Fields) -> set[str]:
    """Headers that are for the next hop only."""
    values = (value for name, value in fields if name.lower() == "connection")
    return {word.strip().lower() for value in values for word in value.split(",")}


def _end_to_end(fields: Fields) -> Iterable[tuple[str, str]]:
    # Without what says how long the body is, the rest of it would be taken for something else.
    gone = (_HOP_BY_HOP | _connection_words(fields)) - _FRAMING
    return ((name, value) for name, value in fields if name.lower() not in gone)


def _write(first: str, fields: Iterable[tuple[str, str]]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in fields)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _pass_chunks(client: Stream, server: Stream, stir: Stir) -> None:
    """Copy the chunks without extensions and trailers."""
    chunks = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
    chunks.receive_data(_CHUNKED)
    chunks.next_event()
    while not isinstance(event := chunks.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Data):
            await server.send(b"%x\r\n%b\r\n" % (len(event.data), event.data))
        else:
            chunks.receive_data(await client.reader.read(CHUNK))
        stir()
    await server.send(b"0\r\n\r\n")


async def _pass(client: Stream, server: Stream, length: int, stir: Stir) -> None:
    while length:
        data = await client.reader.read(min(CHUNK, length))
        if not data:
            raise EOFError
        stir()
        await server.send(data)
        stir()
        length -= len(data)
