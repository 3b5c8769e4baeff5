"""Work that goes on when whoever asked for it is cancelled, and is waited for in the end."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

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
