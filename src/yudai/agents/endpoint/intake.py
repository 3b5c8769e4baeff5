"""Reads an attempt's requests into calls within limits, and tracks its calls in this process."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from yudai.agents.endpoint.port import BodyTooLargeError, ReadBody
from yudai.agents.endpoint.recorder import EndpointRecorder
from yudai.agents.endpoint.request import ChatRequest, read_request
from yudai.agents.endpoint.tokens import RunClaims
from yudai.agents.endpoint.trajectory import Prepared, Seen, prepared
from yudai.gateway.port import Call, Completion
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId
from yudai.kit.redaction import Redact, redactor
from yudai.kit.untyped import Object
from yudai.runs.spending.metered_gateway import MeteredGateway

MakeGateway = Callable[[], MeteredGateway]


class SeenCall(NamedTuple):
    """A call, kept so that the next one can be compared with it."""

    messages: tuple[bytes, ...]
    tools: bytes

    @classmethod
    def of(cls, messages: list[Object], tools: list[Object]) -> "SeenCall":
        return cls(tuple(map(_digest, messages)), _digest(tools))

    def is_continued_by(self, later: "SeenCall") -> bool:
        return later.tools == self.tools and later.messages[: len(self.messages)] == self.messages


@dataclass
class Session:
    """All calls of one attempt in this process."""

    make_gateway: MakeGateway
    ends_at: float
    seen: Seen = field(default_factory=Seen)
    messages: int = -1
    """The number of stored messages when `seen` was read; -1: never read."""
    tasks: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    _last: tuple[SeenCall, MeteredGateway] | None = None

    async def complete(self, call: Call, asked: SeenCall) -> Completion:
        """Metered; an earlier count is a bound only if the request is still the same.

        A gateway takes its conversation to grow; an agent may send another one every time, and
        what it has not sent before counts with every byte.
        """
        gateway = self._gateway(asked)
        completion = await gateway.complete(call)
        self._last = asked, gateway
        return completion

    @contextmanager
    def under_way(self) -> Generator[None]:
        """Keep the session open until the block ends."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("calls are made in tasks")
        self.tasks.add(task)
        try:
            yield
        finally:
            self.tasks.discard(task)

    def recorded(self, bodies: list[Object], count: int) -> None:
        """Note stored messages and their new total."""
        if self.messages + len(bodies) != count:
            # Others' came in between: the next call reads all of them.
            self.messages = -1
            return
        for body in bodies:
            self.seen.add(body)
        self.messages = count

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()

    def _gateway(self, asked: SeenCall) -> MeteredGateway:
        if self._last is not None and self._last[0].is_continued_by(asked):
            return self._last[1]
        return self.make_gateway()


def _digest(value: Object | list[Object]) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()


MAX_AT_ONCE = 8
"""Requests of one attempt that a process handles at once. Others wait unread."""
PARSED_AT_ONCE = 2
"""Bodies read at once in this process, at most one per attempt."""
READING_S = 60.0
"""Seconds until a body must have arrived."""
T = TypeVar("T")


class SlowBodyError(Exception):
    """The client holds a slot without sending its body."""


class CallRequest(NamedTuple):
    """A request that was read and accepted."""

    request: ChatRequest
    messages: Prepared
    asked: SeenCall
    redact: Redact


class Caller(NamedTuple):
    """The run's verified token and its text."""

    claims: RunClaims
    token: str
    """Redacted from messages, because an agent may send it to its model."""

    @property
    def key(self) -> tuple[RunId, int]:
        return self.claims.run, self.claims.attempt


class CallSlots:
    """The slots of one attempt."""

    def __init__(self) -> None:
        self.answered = asyncio.Semaphore(MAX_AT_ONCE)
        self.parsed = asyncio.Semaphore(1)


@dataclass(frozen=True)
class Intake:
    """One per process."""

    recorder: EndpointRecorder
    _slots: WeakValueDictionary[tuple[RunId, int], CallSlots] = field(
        default_factory=WeakValueDictionary[tuple[RunId, int], CallSlots]
    )
    """Slots by attempt, each kept while a request uses it or waits for it."""
    _parsed: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARSED_AT_ONCE))

    def slots(self, caller: Caller) -> CallSlots:
        return self._slots.setdefault(caller.key, CallSlots())

    async def call_request(
        self, caller: Caller, read: ReadBody, slots: CallSlots, seen: Seen
    ) -> CallRequest:
        """A refused request is counted before the refusal is raised."""
        try:
            body = await _read(read)
        except (BodyTooLargeError, SlowBodyError):
            await self.recorder.refuse(caller.claims)
            raise
        return await to_its_end(self._taken(caller, body, slots, seen))

    async def _taken(
        self, caller: Caller, body: bytes, slots: CallSlots, seen: Seen
    ) -> CallRequest:
        """Parse in a thread: a large body would block the event loop."""
        now = self.recorder.clock.now()
        try:
            async with slots.parsed, self._parsed:
                return await asyncio.to_thread(self._make, caller, body, seen, now)
        except RefusedError:
            await self.recorder.refuse(caller.claims)
            raise

    def _make(self, caller: Caller, body: bytes, seen: Seen, now: float) -> CallRequest:
        request = read_request(body)
        known, own = self.recorder.store.redact, redactor([caller.token])

        def redact(text: str) -> str:
            return own(known(text))

        messages = prepared(request.messages, seen, redact, at=now)
        return CallRequest(request, messages, SeenCall.of(request.messages, request.tools), redact)


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
    """Finish the work even when cancelled: the model call is paid for either way."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        # Marks the exception as retrieved.
        _ = task.cancelled() or task.exception()
        raise
