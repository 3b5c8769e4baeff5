"""What goes wrong on the way to a fake provider: refusals, lost answers, cut lines, silence.

faults.add("POST /v2/sandboxes", Fault(status=429, headers={"Retry-After": "1"}))
faults.add("POST /v2/sandboxes", Fault(cut=True, after=True))     # done, but the answer is lost
faults.add("DELETE /sandboxes/.*", Fault(status=403), times=None)   # from now on, always
"""

import json
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Fault(NamedTuple):
    status: int = 0
    headers: Mapping[str, str] = MappingProxyType({})
    message: str = "injected"
    cut: bool = False
    """The connection ends in the middle of the answer."""
    hang: bool = False
    """There is never an answer."""
    after: bool = False
    """What was asked for is done before it goes wrong."""


class CutLineError(Exception):
    """Ends a connection that has begun to answer."""


class Call(NamedTuple):
    method: str
    path: str
    query: str
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body or b"{}")


@dataclass
class Faults:
    """Asked by the middleware below for each call; each fault happens once, the last may stay."""

    calls: list[Call] = field(default_factory=list)
    active: int = 0
    """Calls that are being answered, but for streams of commands."""
    _waiting: dict[str, deque[Fault]] = field(default_factory=dict)
    _staying: dict[str, Fault] = field(default_factory=dict)

    def add(self, route: str, *faults: Fault, times: int | None = 1) -> None:
        """`route` is "METHOD path", a regular expression for the whole of it."""
        if times is None:
            self._staying[route] = faults[-1]
            faults = faults[:-1]
        self._waiting.setdefault(route, deque()).extend(faults * (times or 1))

    def clear(self) -> None:
        self._waiting.clear()
        self._staying.clear()

    def next(self, call: str) -> Fault | None:
        for route, waiting in self._waiting.items():
            if waiting and re.fullmatch(route, call):
                return waiting.popleft()
        return next((f for r, f in self._staying.items() if re.fullmatch(r, call)), None)

    def count(self, route: str) -> int:
        """How many calls there were."""
        return sum(1 for c in self.calls if re.fullmatch(route, f"{c.method} {c.path}"))


class FaultyLine:
    """ASGI middleware: notes each call, and lets it go wrong when that was asked for."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await _read(receive)
        method, path = scope["method"], scope["path"]
        self._faults.calls.append(Call(method, path, scope["query_string"].decode(), body))
        again = _Again(body, receive)
        # The methods of commands have a dot in their names.
        counts = "." not in path
        self._faults.active += counts
        try:
            await self._answer(scope, again, send, self._faults.next(f"{method} {path}"))
        finally:
            self._faults.active -= counts

    async def _answer(self, scope: Scope, again: "_Again", send: Send, fault: Fault | None) -> None:
        if fault is None:
            await self._app(scope, again, send)
            return
        if fault.after:
            await self._app(scope, again, _nobody)
        await _go_wrong(fault, again, send)


class _Again:
    """Says the body that was read, then whatever comes."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _go_wrong(fault: Fault, receive: Receive, send: Send) -> None:
    if fault.hang:
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    body = json.dumps({"code": fault.status, "message": fault.message}).encode()
    length = len(body) + (1000 if fault.cut else 0)
    headers = {"content-type": "application/json", "content-length": str(length), **fault.headers}
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": fault.status or 200, "headers": pairs})
    await send({"type": "http.response.body", "body": body, "more_body": fault.cut})
    if fault.cut:
        raise CutLineError


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _nobody(_: Message) -> None:
    pass
