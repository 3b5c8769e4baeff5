"""Queues of calls that wait for a solve's cap, and settlements that outlive their caller."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import structlog

from yudai.kit.ids import SolveId
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class SpendQueue:
    """One call reserves at a time, in order of arrival."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.dearest: dict[str, int] = {}
        """Cost of the most expensive call so far, by model."""
        self._settled = asyncio.Event()

    def clear(self) -> None:
        self._settled.clear()

    def notify(self) -> None:
        """Wake the waiting call after a settlement."""
        self._settled.set()

    async def wait(self, at_most_s: float) -> None:
        """Wait for a settlement of this process since `clear`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_s):
                await self._settled.wait()


class SpendQueues:
    def __init__(self) -> None:
        self._queues: WeakValueDictionary[SolveId, SpendQueue] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, solve_id: SolveId) -> SpendQueue:
        """The queue of a solve, shared while it is in use."""
        queue = self._queues.get(solve_id)
        if queue is None:
            queue = self._queues[solve_id] = SpendQueue()
        return queue

    def start(self, settling: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a settlement that continues also without its caller."""
        task = asyncio.create_task(settling, name="settling")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def flush(self) -> None:
        """Nothing: a settlement writes in a transaction of its own."""

    async def close(self) -> None:
        """Cancel open settlements; they are written off with this worker."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("money.not_settled", error=repr(error))


def spend_queues_of(store: Store) -> SpendQueues:
    return store.part(SpendQueues, SpendQueues)
