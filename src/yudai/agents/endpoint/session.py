"""One attempt's state in this process: spending cap, calls, messages recorded so far."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from yudai.agents.endpoint.trajectory import Seen
from yudai.gateway.port import Call, Completion
from yudai.kit.untyped import Object
from yudai.runs.spending.metered_gateway import MeteredGateway

MakeGateway = Callable[[], MeteredGateway]


class Asked(NamedTuple):
    """A call, as far as the next one may go on from it."""

    messages: tuple[bytes, ...]
    tools: bytes

    @classmethod
    def of(cls, messages: list[Object], tools: list[Object]) -> "Asked":
        return cls(tuple(map(_digest, messages)), _digest(tools))

    def is_continued_by(self, later: "Asked") -> bool:
        return later.tools == self.tools and later.messages[: len(self.messages)] == self.messages


@dataclass
class Session:
    """All calls of one attempt in this process."""

    make_gateway: MakeGateway
    ends_at: float
    seen: Seen = field(default_factory=Seen)
    messages: int = -1
    """How many the database had when `seen` was right; -1: it was never read."""
    tasks: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    _last: tuple[Asked, MeteredGateway] | None = None

    async def complete(self, call: Call, asked: Asked) -> Completion:
        """Metered, and bounded by what was counted before only where that is still the same.

        A gateway takes its conversation to grow; an agent may send another one every time, and
        what it has not sent before counts with every byte.
        """
        gateway = self._gateway(asked)
        completion = await gateway.complete(call)
        self._last = asked, gateway
        return completion

    @contextmanager
    def under_way(self) -> Generator[None]:
        """The session is not closed before the work in this block is done."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("calls are made in tasks")
        self.tasks.add(task)
        try:
            yield
        finally:
            self.tasks.discard(task)

    def recorded(self, bodies: list[Object], count: int) -> None:
        """These were stored, and with them there are so many."""
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

    def _gateway(self, asked: Asked) -> MeteredGateway:
        if self._last is not None and self._last[0].is_continued_by(asked):
            return self._last[1]
        return self.make_gateway()


def _digest(value: Object | list[Object]) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()
