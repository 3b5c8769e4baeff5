"""From a request's body to what may be asked of a model: bounded in time, number and size."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from yudai.agents.endpoint.port import BodyTooLargeError, ReadBody
from yudai.agents.endpoint.recorder import DeskBook
from yudai.agents.endpoint.request import ChatRequest, read_request
from yudai.agents.endpoint.session import Asked
from yudai.agents.endpoint.tokens import RunClaims
from yudai.agents.endpoint.trajectory import Prepared, Seen, prepared
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId
from yudai.kit.redaction import Redact, redactor

MAX_AT_ONCE = 8
"""Requests of one attempt that a process reads and answers together; further ones wait unread."""
PARSED_AT_ONCE = 2
"""In this process, of each attempt one."""
READING_S = 60.0
"""How long a body may take to arrive."""
T = TypeVar("T")


class SlowBodyError(Exception):
    """Somebody keeps a place without sending anything."""


class Order(NamedTuple):
    """A request that was taken."""

    request: ChatRequest
    messages: Prepared
    asked: Asked
    redact: Redact


class Visit(NamedTuple):
    """Who asks."""

    claims: RunClaims
    token: str
    """As it was presented: an agent may well tell it to its model."""

    @property
    def key(self) -> tuple[RunId, int]:
        return self.claims.run, self.claims.attempt


class Places:
    """Of one attempt."""

    def __init__(self) -> None:
        self.answered = asyncio.Semaphore(MAX_AT_ONCE)
        self.parsed = asyncio.Semaphore(1)


@dataclass(frozen=True)
class Intake:
    """Of one process."""

    book: DeskBook
    _places: WeakValueDictionary[tuple[RunId, int], Places] = field(
        default_factory=WeakValueDictionary[tuple[RunId, int], Places]
    )
    """Each lives as long as somebody is in it, or waits for it."""
    _parsed: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARSED_AT_ONCE))

    def places(self, visit: Visit) -> Places:
        return self._places.setdefault(visit.key, Places())

    async def order(self, visit: Visit, read: ReadBody, places: Places, seen: Seen) -> Order:
        """What is not taken is counted, before it is said."""
        try:
            body = await _read(read)
        except (BodyTooLargeError, SlowBodyError):
            await self.book.refuse(visit.claims)
            raise
        return await to_its_end(self._taken(visit, body, places, seen))

    async def _taken(self, visit: Visit, body: bytes, places: Places, seen: Seen) -> Order:
        """In a thread: a large body would keep everything else of this process waiting."""
        now = self.book.clock.now()
        try:
            async with places.parsed, self._parsed:
                return await asyncio.to_thread(self._make, visit, body, seen, now)
        except RefusedError:
            await self.book.refuse(visit.claims)
            raise

    def _make(self, visit: Visit, body: bytes, seen: Seen, now: float) -> Order:
        request = read_request(body)
        known, own = self.book.store.redact, redactor([visit.token])

        def redact(text: str) -> str:
            return own(known(text))

        messages = prepared(request.messages, seen, redact, at=now)
        return Order(request, messages, Asked.of(request.messages, request.tools), redact)


async def _read(read: ReadBody) -> bytes:
    timer = asyncio.timeout(READING_S)
    try:
        async with timer:
            return await read()
    except TimeoutError:
        if not timer.expired():
            raise
        raise SlowBodyError(f"the body did not arrive within {READING_S:g} s") from None


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Also when we are cancelled meanwhile: it was paid for, or costs us all the same."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        # Nobody else asks how it ended.
        _ = task.cancelled() or task.exception()
        raise
