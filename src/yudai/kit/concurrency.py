"""Work in separate tasks: finished when the caller is cancelled, shared by callers, or repeated."""

import asyncio
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Hashable,
    Iterable,
)
from contextlib import asynccontextmanager
from typing import Any, Generic, NoReturn, TypeVar

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger()

T = TypeVar("T")


class BackgroundTasks:
    def __init__(self, *, patience_s: float | None = None) -> None:
        """`patience_s` is how long `close` waits; None: each task has its own limit."""
        self._patience_s = patience_s
        self._background: set[asyncio.Task[Any]] = set()

    def begin(self, chore: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that does not depend on its caller; `close` waits for it."""
        task = asyncio.create_task(chore)
        self._background.add(task)
        task.add_done_callback(self._end_of)
        return task

    async def finish(self, chore: Coroutine[Any, Any, T]) -> T:
        """Wait for the work, which is finished even when the caller is cancelled."""
        return await asyncio.shield(self.begin(chore))

    async def whole(self, work: Coroutine[Any, Any, T], undo: Callable[[T], Awaitable[None]]) -> T:
        """Wait for the work. When the caller is cancelled, the finished work is undone."""
        task = self.begin(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.begin(_undo(task, undo))
            raise

    async def close(self) -> None:
        """Wait for all tasks; those that take longer than `patience_s` are cancelled."""
        if self._background:
            await asyncio.wait(self._background, timeout=self._patience_s)
        late = set(self._background)
        for chore in late:
            chore.cancel()
        if late:
            await asyncio.wait(late, timeout=self._patience_s)

    def _end_of(self, chore: asyncio.Task[Any]) -> None:
        self._background.discard(chore)
        if not chore.cancelled():
            # Marks the exception as retrieved: a caller that still waits gets it, others need not.
            chore.exception()


async def _undo(task: asyncio.Task[T], undo: Callable[[T], Awaitable[None]]) -> None:
    await undo(await task)


async def gather(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Results in order; the first error cancels the rest and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    return [task.result() for task in tasks]


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish the work before a cancellation takes effect: half of it could not be undone."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled from task.exception()
    return task.result()


@asynccontextmanager
async def in_background(work: Coroutine[Any, Any, object], *, name: str) -> AsyncGenerator[None]:
    """Run the work in a task that ends with the block."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("task.failed", task=name, error=repr(error))


async def repeat(
    act: Callable[[], Awaitable[object]],
    every_s: float,
    *,
    failed: str,
    first_s: float = 0.0,
    **facts: object,
) -> NoReturn:
    """Repeat forever. An exception is logged as `failed` and does not stop the loop."""
    await asyncio.sleep(first_s)
    while True:
        try:
            await act()
        except Exception as error:  # noqa: BLE001 - e.g. a database that is away for a moment
            log.warning(failed, error=repr(error), **facts)
        await asyncio.sleep(every_s)


@asynccontextmanager
async def repeat_in_background(
    act: Callable[[], Awaitable[object]], every_s: float, *, name: str, **more: Any
) -> AsyncGenerator[None]:
    """As `repeat`, while the block lasts."""
    async with in_background(repeat(act, every_s, **more), name=name):
        yield


class SingleFlight(Generic[T]):
    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}
        self._waiting: dict[Hashable, int] = {}

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Share the task under way for this key, or start one; it ends when no caller waits."""
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
