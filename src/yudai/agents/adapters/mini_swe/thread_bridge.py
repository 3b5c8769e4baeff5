"""Between an agent's thread and the event loop that its sandbox and gateway live on."""

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class StoppedError(Exception):
    """The run was cancelled."""


class OverdueError(Exception):
    """The work was cancelled because the run's time has ended."""


class Bridge:
    """Runs one coroutine at a time for the thread; `stop` ends the pending one at once."""

    def __init__(self, *, wall_time_s: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + wall_time_s
        self._pending: asyncio.Task[Any] | None = None
        self._stopped = False

    @property
    def remaining_s(self) -> float:
        return max(0.0, self._deadline - self._loop.time())

    def call(self, work: Callable[[], Coroutine[Any, Any, T]], *, grace_s: float = 0.0) -> T:
        """Called from the thread: do the work on the loop, until the run's time ends."""
        until = self._deadline + grace_s
        future = asyncio.run_coroutine_threadsafe(self._watch(work, until), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise StoppedError from None

    def stop(self) -> None:
        """Called on the loop: cancel pending work and refuse new work."""
        self._stopped = True
        if self._pending is not None:
            self._pending.cancel()

    async def _watch(self, work: Callable[[], Coroutine[Any, Any, T]], until: float) -> T:
        if self._stopped:
            raise StoppedError
        self._pending = asyncio.current_task()
        timer = asyncio.timeout_at(until)
        try:
            async with timer:
                return await work()
        except TimeoutError:
            # Only our own timer means that time is up; another's timeout is an error like any.
            if timer.expired():
                raise OverdueError from None
            raise
        finally:
            self._pending = None
