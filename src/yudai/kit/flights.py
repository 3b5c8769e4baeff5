"""Work that several ask for at the same time is done once for all of them."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


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
