"""Reports the host names that a sandbox without a network looks up, and answers from its files.

Glibc asks at /var/run/nscd/socket before it looks anywhere else: we listen there.
"""

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from enum import IntEnum
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.network.addresses import Address
from yudai.sandboxes.backends.network.streams import BlockedHosts, Listener
from yudai.sandboxes.domain.allowed_hosts import canonical
from yudai.sandboxes.port import UNKNOWN_PORT

FOLDER = "/var/run/nscd"
SOCKET = "socket"

_VERSION = 2
_HOST_NOT_FOUND = 1
_FAMILIES = {4: 2, 6: 10}
_HEAD = struct.Struct("=3i")
_ALL = struct.Struct("=6i")
MAX_REQUEST = _HEAD.size + 1024
"""glibc asks for no longer names."""

_CONNECTIONS = 32
_MOST = 20_000
"""Per sandbox. Further lookups get no answer, so that it cannot keep us busy."""
_PATIENCE_S = 2.0
_ITSELF = ("localhost", "localhost.localdomain")

# The beginning of an answer that then breaks off: glibc looks into its files, and asks again the
# next time. Without any answer it would not do that for a hundred times.
_LOOK_YOURSELF = struct.pack("=8i", _VERSION, 1, 1, 0, 0, 0, 0, 0)


class Ask(IntEnum):
    """Request types about host names. Others are about users, services and shared memory."""

    NAME4 = 4
    NAME6 = 5
    ADDRESS4 = 6
    ADDRESS6 = 7
    ALL = 14
    """By getaddrinfo, which does not say for which families."""


_OF_NAMES = frozenset({Ask.NAME4, Ask.NAME6, Ask.ALL})


class Request(NamedTuple):
    ask: Ask
    name: str | None
    """None: a reverse lookup of an address."""


class Entry(NamedTuple):
    """A line of /etc/hosts."""

    address: Address
    names: tuple[str, ...]


def length_of(data: bytes) -> int | None:
    """Length of a request with this beginning; None while it is unknown."""
    return _HEAD.size + max(0, _HEAD.unpack_from(data)[2]) if len(data) >= _HEAD.size else None


def parse(data: bytes) -> Request | None:
    """None if it is invalid or not about hosts."""
    version, kind, _ = _HEAD.unpack_from(data)
    try:
        ask = Ask(kind)
        name = data[_HEAD.size :].removesuffix(b"\0").decode() if ask in _OF_NAMES else None
    except ValueError:
        return None
    return Request(ask, name) if version == _VERSION else None


def entries_of(hosts: str) -> tuple[Entry, ...]:
    """Of the text of an /etc/hosts without comments."""
    lines = (line.split() for line in hosts.splitlines())
    return tuple(Entry(ip_address(words[0]), tuple(words[1:])) for words in lines if words)


def answer(request: Request, entries: Sequence[Entry] | None) -> bytes:
    """Answer as the sandbox's files would, or make it read them; None: not known here."""
    if request.ask is not Ask.ALL:
        return _LOOK_YOURSELF
    if entries is None:
        return b""
    name = (request.name or "").lower()
    found = [one for one in entries if name in one.names]
    if not found:
        return _ALL.pack(_VERSION, 0, 0, 0, 0, _HOST_NOT_FOUND)
    # Of several lines the family chooses one.
    return _all(found[0]) if len(found) == 1 else b""


def _all(entry: Entry) -> bytes:
    packed, name = entry.address.packed, f"{entry.names[0]}\0".encode()
    head = _ALL.pack(_VERSION, 1, 1, len(packed), len(name), 0)
    return head + packed + bytes([_FAMILIES[entry.address.version]]) + name


class NameWatch:
    def __init__(
        self, folder: Path, blocked: BlockedHosts, *, entries: Sequence[Entry] | None = None
    ) -> None:
        """`folder` is the one that the sandbox sees as nscd's own.

        `entries` is all that the sandbox can look up. None: it is unknown here, so the reply makes
        glibc read its files itself, and not ask again for a while.
        """
        self._blocked = blocked
        self._entries = entries
        self._left = _MOST
        self._listener = Listener(folder / SOCKET, self._serve, connections=_CONNECTIONS)

    def start(self) -> None:
        self._listener.start()

    async def close(self) -> None:
        """Idempotent; afterwards it has no listener and no connection."""
        await self._listener.close()

    async def _serve(self, client: socket.socket, is_full: bool) -> None:  # noqa: FBT001 - as Serve
        """A program that gets no answer reads its files, as if there were no nscd."""
        self._left -= 1
        if self._left <= 0:
            self._listener.stop()
        if is_full:
            return
        loop = asyncio.get_running_loop()
        with suppress(OSError, EOFError):
            async with asyncio.timeout(_PATIENCE_S):
                request = parse(await _read(client))
                if request is None:
                    return
                if request.name is not None:
                    self._tell(request.name)
                await loop.sock_sendall(client, answer(request, self._entries))

    def _tell(self, name: str) -> None:
        try:
            host = canonical(name)
        except ValueError:
            # Not a valid host name: it could not have reached any host.
            return
        if not self._is_own(host):
            self._blocked.report(host, UNKNOWN_PORT)

    def _is_own(self, host: str) -> bool:
        if host in _ITSELF or host.endswith(".localhost"):
            return True
        return any(host in one.names for one in self._entries or ())


async def _read(client: socket.socket) -> bytes:
    """One complete request; EOFError if it is invalid."""
    loop, data = asyncio.get_running_loop(), b""
    while (length := length_of(data)) is None or len(data) < length:
        if length is not None and length > MAX_REQUEST:
            raise EOFError
        more = await loop.sock_recv(client, MAX_REQUEST - len(data))
        if not more:
            raise EOFError
        data += more
    return data[:length]
