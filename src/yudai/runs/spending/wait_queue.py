"""Who waits for a solve's money in this process, and settlements that outlive whoever made them."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import structlog

from yudai.kit.ids import SolveId
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Line:
    """One asks at a time, in order of arrival."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.dearest: dict[str, int] = {}
        """By model: what its dearest call has cost."""
        self._settled = asyncio.Event()

    def forget_news(self) -> None:
        self._settled.clear()

    def tell(self) -> None:
        """Something was settled: whoever waits may ask again."""
        self._settled.set()

    async def wait(self, at_most_s: float) -> None:
        """For news since they were forgotten; those of other processes are not heard here."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_s):
                await self._settled.wait()


class Lines:
    def __init__(self) -> None:
        self._lines: WeakValueDictionary[SolveId, Line] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, solve_id: SolveId) -> Line:
        """The same one for all who have it at the same time."""
        line = self._lines.get(solve_id)
        if line is None:
            line = self._lines[solve_id] = Line()
        return line

    def begin(self, settling: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Goes on also when nobody waits for it any more."""
        task = asyncio.create_task(settling, name="settling")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def flush(self) -> None:
        """Nothing: a settlement writes in a transaction of its own."""

    async def close(self) -> None:
        """What is not settled by now is written off with its worker."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("money.not_settled", error=repr(error))


def lines_of(store: Store) -> Lines:
    return store.part(Lines, Lines)
