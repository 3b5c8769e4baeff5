"""Work that goes on when whoever asked for it is cancelled, and is waited for in the end."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Chores:
    def __init__(self, *, patience_s: float | None = None) -> None:
        """So long `close` waits; None: each has a limit of its own."""
        self._patience_s = patience_s
        self._chores: set[asyncio.Task[Any]] = set()

    def begin(self, chore: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """It ends by itself, whatever becomes of whoever asked; `close` waits for it."""
        task = asyncio.create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._end_of)
        return task

    async def finish(self, chore: Coroutine[Any, Any, T]) -> T:
        """Wait for it; it is done also when the caller is cancelled meanwhile."""
        return await asyncio.shield(self.begin(chore))

    async def close(self) -> None:
        """Wait until all are done; what is not done in time is given up."""
        if self._chores:
            await asyncio.wait(self._chores, timeout=self._patience_s)
        late = set(self._chores)
        for chore in late:
            chore.cancel()
        if late:
            await asyncio.wait(late, timeout=self._patience_s)

    def _end_of(self, chore: asyncio.Task[Any]) -> None:
        self._chores.discard(chore)
        if not chore.cancelled():
            # Who still listens hears of it; nobody else needs to.
            chore.exception()


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Results in order; the first error cancels the rest and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    return [task.result() for task in tasks]


class Flights(Generic[T]):
    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}
        self._waiting: dict[Hashable, int] = {}

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What is under way for this key, or a new one; it ends when nobody waits any more."""
        task = self._tasks.get(key)
        if task is None or task.done():
            task = self._tasks[key] = asyncio.create_task(start())
            self._waiting[key] = 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        finally:
            await self._leave(key, task)

    async def _leave(self, key: Hashable, task: asyncio.Task[T]) -> None:
        if self._tasks.get(key) is not task:
            return
        self._waiting[key] -= 1
        if self._waiting[key]:
            return
        del self._tasks[key], self._waiting[key]
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
