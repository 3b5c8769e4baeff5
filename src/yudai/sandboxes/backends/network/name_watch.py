"""Sees which host names a sandbox without a network looks up, and answers as its files would."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from yudai.sandboxes.backends.network import nscd
from yudai.sandboxes.backends.network.listener import Listener
from yudai.sandboxes.backends.network.nscd import Entry
from yudai.sandboxes.domain.allowed_hosts import canonical
from yudai.sandboxes.port import UNKNOWN_PORT, Blocked, OnBlocked, Phase, ignore_blocked

_CONNECTIONS = 32
_MOST = 20_000
"""Per sandbox; further lookups get no answer, so that it cannot keep us busy for ever."""
_MAX_TOLD = 100
_PATIENCE_S = 2.0
_ITSELF = ("localhost", "localhost.localdomain")


class NameWatch:
    def __init__(
        self,
        folder: Path,
        *,
        phase: Phase,
        owner: str,
        on_blocked: OnBlocked = ignore_blocked,
        entries: Sequence[Entry] | None = None,
    ) -> None:
        """`folder` is the one that the sandbox sees as nscd's own.

        `entries` is all that the sandbox can look up. None: it is unknown here, so glibc is told to
        read its files itself, and does not ask again for a while.
        """
        self._phase, self._owner, self._on_blocked = phase, owner, on_blocked
        self._entries = entries
        self._told: set[str] = set()
        self._left = _MOST
        self._listener = Listener(folder / nscd.SOCKET, self._serve, connections=_CONNECTIONS)

    def start(self) -> None:
        self._listener.start()

    async def close(self) -> None:
        """Idempotent; nothing of it listens or is connected afterwards."""
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
                request = nscd.parse(await _read(client))
                if request is None:
                    return
                if request.name is not None:
                    self._tell(request.name)
                await loop.sock_sendall(client, nscd.answer(request, self._entries))

    def _tell(self, name: str) -> None:
        try:
            host = canonical(name)
        except ValueError:
            # Not a valid host name: it could not have reached any host.
            return
        if host in self._told or len(self._told) >= _MAX_TOLD or self._is_own(host):
            return
        self._told.add(host)
        self._on_blocked(
            Blocked(host=host, port=UNKNOWN_PORT, phase=self._phase, owner=self._owner)
        )

    def _is_own(self, host: str) -> bool:
        if host in _ITSELF or host.endswith(".localhost"):
            return True
        return any(host in one.names for one in self._entries or ())


async def _read(client: socket.socket) -> bytes:
    """One request, whole; EOFError when it is none."""
    loop, data = asyncio.get_running_loop(), b""
    while (length := nscd.length_of(data)) is None or len(data) < length:
        if length is not None and length > nscd.MAX_REQUEST:
            raise EOFError
        more = await loop.sock_recv(client, nscd.MAX_REQUEST - len(data))
        if not more:
            raise EOFError
        data += more
    return data[:length]
