"""Work in tasks of its own: finished although its caller is cancelled, shared, or repeated."""

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

    async def whole(self, work: Coroutine[Any, Any, T], undo: Callable[[T], Awaitable[None]]) -> T:
        """Wait for it; when the caller is cancelled meanwhile, it is undone once it is done."""
        task = self.begin(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.begin(_undo(task, undo))
            raise

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


async def _undo(task: asyncio.Task[T], undo: Callable[[T], Awaitable[None]]) -> None:
    await undo(await task)


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Results in order; the first error cancels the rest and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    return [task.result() for task in tasks]


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Done whole, and only then cancelled: for what could not be undone half."""
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
async def meanwhile(work: Coroutine[Any, Any, object], *, name: str) -> AsyncGenerator[None]:
    """Work in a task of its own, which ends with the block."""
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
    """Act for ever; what an attempt raises is logged as `failed`, and the next may fare better."""
    await asyncio.sleep(first_s)
    while True:
        try:
            await act()
        except Exception as error:  # noqa: BLE001 - e.g. a database that is away for a moment
            log.warning(failed, error=repr(error), **facts)
        await asyncio.sleep(every_s)


@asynccontextmanager
async def repeating(
    act: Callable[[], Awaitable[object]], every_s: float, *, name: str, **more: Any
) -> AsyncGenerator[None]:
    """As `repeat`, while the block lasts."""
    async with meanwhile(repeat(act, every_s, **more), name=name):
        yield


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
