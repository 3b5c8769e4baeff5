"""A proxy on a Unix socket for one sandbox: it looks up names and connects to allowed hosts."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from yudai.sandboxes.backends.network.dial import Dialer, DialSettings, Via
from yudai.sandboxes.backends.network.http import (
    MAX_HEAD,
    AnswerError,
    Head,
    Place,
    length_of,
    pass_body,
    place_of,
    read_head,
    refusal,
    request,
    response,
    status_of,
)
from yudai.sandboxes.backends.network.streams import (
    BlockedHosts,
    Listener,
    Stream,
    copy,
    join,
    put_off,
)

_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_FORBIDDEN = 403
_INTERIM = range(100, 200)


class Proxy:
    def __init__(
        self,
        path: Path,
        *,
        hosts: Sequence[str],
        blocked: BlockedHosts,
        dialing: DialSettings | None = None,
    ) -> None:
        """`hosts` are as in NetworkPolicy (ValueError for a bad one); `path` will be the socket.

        Every user who may enter its folder may connect.
        """
        self._blocked = blocked
        dialing = dialing or DialSettings()
        self._bounds = dialing.bounds
        self._dialer = Dialer(hosts, blocked.phase, dialing)
        self._listener = Listener(path, self._serve, connections=dialing.bounds.connections)

    def start(self) -> None:
        self._listener.start()

    async def close(self) -> None:
        """Idempotent; afterwards it has no listener and no connection."""
        await self._listener.close()
        self._dialer.close()

    async def _serve(self, accepted: socket.socket, is_full: bool) -> None:  # noqa: FBT001 - as Serve
        client = Stream(*await asyncio.open_unix_connection(sock=accepted, limit=MAX_HEAD))
        try:
            # What a client does wrong, or a line that breaks, ends that line and nothing else.
            with suppress(OSError, EOFError):
                try:
                    head = await self._read(client)
                    if is_full:
                        raise AnswerError(503, "too many connections at once")  # noqa: TRY301 - as every other answer
                    await self._answer(client, head)
                except AnswerError as error:
                    self._tell(error)
                    await client.send(refusal(error))
                await client.finish()
        finally:
            client.cut()

    async def _read(self, client: Stream) -> Head:
        try:
            async with asyncio.timeout(self._bounds.head_s):
                return await read_head(client.reader)
        except TimeoutError:
            raise AnswerError(408, "the head of the request did not arrive in time") from None

    async def _answer(self, client: Stream, head: Head) -> None:
        place, is_tunnel = place_of(head), head.first[0] == "CONNECT"
        length = 0 if is_tunnel else length_of(head)
        reached = await self._dialer.dial(place, tunnel=is_tunnel)
        patience = reached.patience or self._bounds.patience
        try:
            if is_tunnel:
                await client.send(_ESTABLISHED)
                await join(client, reached.line, patience)
            else:
                await reached.line.send(_for_next_hop(head, place, reached.via))
                await _relay(client, reached.line, length, patience.idle_s)
            await reached.line.finish()
        finally:
            reached.line.cut()

    def _tell(self, error: AnswerError) -> None:
        place = error.blocked
        if place and (error.status == _FORBIDDEN or not self._dialer.is_listed(place)):
            self._blocked.report(place.host, place.port)


def _for_next_hop(head: Head, place: Place, via: Via | None) -> bytes:
    if via is None:
        return request(head, place, target=place.path)
    return request(head, place, target=f"http://{place.authority}{place.path}", more=via.fields)


async def _relay(client: Stream, server: Stream, length: int | None, idle_s: float | None) -> None:
    """Relay the rest of a request and its response; one request per connection."""

    def stir() -> None:
        put_off(limit, idle_s)

    async with asyncio.timeout(idle_s) as limit:
        body = asyncio.create_task(pass_body(client, server, length, stir))
        try:
            await _pass_head(client, server)
            await copy(server, client, stir)
        finally:
            body.cancel()
            await asyncio.wait({body})


async def _pass_head(client: Stream, server: Stream) -> None:
    while True:
        try:
            head = await read_head(server.reader)
        except (EOFError, AnswerError):
            raise AnswerError(502, "the server's response was not HTTP/1") from None
        status = status_of(head)
        await client.send(response(head))
        if status not in _INTERIM:
            return
