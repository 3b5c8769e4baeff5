"""A proxy on a Unix socket for one box: it looks up names, and connects to what a list allows."""

import asyncio
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from yudai.adapters.sandboxes.network.bodies import length_of, pass_body
from yudai.adapters.sandboxes.network.heads import (
    MAX_HEAD,
    AnswerError,
    ForbiddenError,
    Head,
    Place,
    place_of,
    read_head,
    refusal,
    request,
    response,
    status_of,
)
from yudai.adapters.sandboxes.network.lines import Line, copy, join
from yudai.adapters.sandboxes.network.reaching import Reacher, Ways
from yudai.adapters.sandboxes.network.upstream import Via
from yudai.ports.sandbox import Blocked, OnBlocked, Phase, ignore_blocked

_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_BACKLOG = 256
_MAX_TOLD = 100
_PAUSE_S = 1.0
_INTERIM = range(100, 200)


class Proxy:
    def __init__(
        self,
        path: Path,
        *,
        hosts: Sequence[str],
        phase: Phase,
        owner: str,
        on_blocked: OnBlocked = ignore_blocked,
        ways: Ways | None = None,
    ) -> None:
        """`hosts` as in NetworkPolicy, ValueError for one that is none; `path` is to be the socket.

        Whoever may enter its folder may use it.
        """
        self._path = path
        self._phase, self._owner, self._on_blocked = phase, owner, on_blocked
        ways = ways or Ways()
        self._bounds = ways.bounds
        self._reacher = Reacher(hosts, phase, ways)
        self._told: set[Place] = set()
        self._lines: set[asyncio.Task[None]] = set()
        self._listener: socket.socket | None = None

    async def start(self) -> None:
        self._listener = _listen(self._path)
        self._watch()

    async def close(self) -> None:
        """Idempotent; nothing of it listens or is connected afterwards."""
        listener, self._listener = self._listener, None
        if listener is not None:
            asyncio.get_running_loop().remove_reader(listener)
            listener.close()
            self._path.unlink(missing_ok=True)
        lines = list(self._lines)
        for line in lines:
            line.cancel()
        if lines:
            await asyncio.wait(lines)
        self._reacher.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _watch(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)

    def _accept(self, listener: socket.socket) -> None:
        """By hand: a server of asyncio loses who comes while it is closed, and leaves them open."""
        try:
            client = listener.accept()[0]
        except BlockingIOError:
            return
        except OSError:
            # No descriptor is left: whoever waits is still there after a while.
            loop = asyncio.get_running_loop()
            loop.remove_reader(listener)
            loop.call_later(_PAUSE_S, self._watch)
            return
        is_full = len(self._lines) >= self._bounds.connections
        if len(self._lines) >= 2 * self._bounds.connections:
            client.close()
            return
        task = asyncio.create_task(self._serve(client, is_full=is_full))
        self._lines.add(task)
        task.add_done_callback(self._lines.discard)
        # One that is cancelled before its first step has not even begun.
        task.add_done_callback(lambda _: client.close())

    async def _serve(self, accepted: socket.socket, *, is_full: bool) -> None:
        client = Line(*await asyncio.open_unix_connection(sock=accepted, limit=MAX_HEAD))
        try:
            # What a client does wrong, or a line that breaks, ends that line and nothing else.
            with suppress(OSError, EOFError):
                try:
                    head = await self._read(client)
                    if is_full:
                        raise AnswerError(503, "too many connections at once")  # noqa: TRY301 - as every other answer
                    await self._answer(client, head)
                except AnswerError as error:
                    await client.send(refusal(error))
                await client.finish()
        finally:
            client.cut()

    async def _read(self, client: Line) -> Head:
        try:
            async with asyncio.timeout(self._bounds.head_s):
                return await read_head(client.reader)
        except TimeoutError:
            raise AnswerError(408, "the head of a request did not come in time") from None

    async def _answer(self, client: Line, head: Head) -> None:
        place, is_tunnel = place_of(head), head.first[0] == "CONNECT"
        length = 0 if is_tunnel else length_of(head)
        try:
            reached = await self._reacher.reach(place, tunnel=is_tunnel)
        except ForbiddenError:
            self._tell(place)
            raise
        try:
            if is_tunnel:
                await client.send(_ESTABLISHED)
                await join(client, reached.line, self._bounds.patience)
            else:
                await reached.line.send(_for_next_hop(head, place, reached.via))
                await self._relay(client, reached.line, length)
            await reached.line.finish()
        finally:
            reached.line.cut()

    async def _relay(self, client: Line, server: Line, length: int | None) -> None:
        """The rest of a request, and its response to the end: a line is for one of them."""
        loop, idle_s = asyncio.get_running_loop(), self._bounds.patience.idle_s

        def stir() -> None:
            limit.reschedule(loop.time() + idle_s)

        async with asyncio.timeout(idle_s) as limit:
            body = asyncio.create_task(pass_body(client, server, length, stir))
            try:
                await _pass_head(client, server)
                await copy(server, client, stir)
            finally:
                body.cancel()
                await asyncio.wait({body})

    def _tell(self, place: Place) -> None:
        key = place._replace(path="")
        if key not in self._told and len(self._told) < _MAX_TOLD:
            self._told.add(key)
            blocked = Blocked(
                host=place.host, port=place.port, phase=self._phase, owner=self._owner
            )
            self._on_blocked(blocked)


def _for_next_hop(head: Head, place: Place, via: Via | None) -> bytes:
    if via is None:
        return request(head, place, target=place.path)
    return request(head, place, target=f"http://{place.authority}{place.path}", more=via.fields)


async def _pass_head(client: Line, server: Line) -> None:
    while True:
        try:
            head = await read_head(server.reader)
        except (EOFError, AnswerError):
            raise AnswerError(502, "the server did not answer in HTTP/1") from None
        status = status_of(head)
        await client.send(response(head))
        if status not in _INTERIM:
            return


def _listen(path: Path) -> socket.socket:
    """The kernel takes only short names of sockets: this one is told by its folder's descriptor."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.setblocking(False)  # noqa: FBT003 - its only argument
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        # The box's user may be another than ours; its folder keeps everybody else out.
        path.chmod(0o666)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    finally:
        os.close(folder)
    return listener
