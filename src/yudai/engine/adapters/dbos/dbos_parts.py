"""Parts of flows, done on our loop for DBOS, which has a loop and threads of its own.

DBOS could run its workflows on our loop. It would then put its executor in the place of the loop's
own, and shut that down when it stops: whatever else uses threads here would fail from then on.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger()

Result = TypeVar("Result")

RETRY_DELAYS_S = (0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0)
"""Between the tries of a part that raised: that is ours, e.g. a database that is away."""


class Parts:
    """Made on our loop; asked from DBOS's."""

    def __init__(self, retry_delays_s: Sequence[float] = RETRY_DELAYS_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._retry_delays_s = retry_delays_s
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_cancelled = False

    async def do(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        """Do it to its end, wherever it is asked for."""
        # In a context of its own: in DBOS's, what a part starts would be taken for its child.
        doing = contextvars.Context().run(
            asyncio.run_coroutine_threadsafe, self._do(name, part), self._loop
        )
        return await asyncio.wrap_future(doing)

    def cancel(self) -> None:
        """Do no more; the workflows stay unfinished, for whoever takes them up."""
        self._is_cancelled = True
        for task in self._tasks:
            task.cancel()

    async def wait(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _do(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        if self._is_cancelled:
            raise asyncio.CancelledError
        task = asyncio.create_task(self._try(name, part), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # DBOS cancels its side when it ends: a second time would disturb the clean-up of ours.
        return await asyncio.shield(task)

    async def _try(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        for delay_s in self._retry_delays_s:
            try:
                return await part()
            except Exception as error:  # noqa: BLE001 - whatever it is, it may pass
                log.warning("flow.part_repeated", part=name, error=repr(error), in_s=delay_s)
            await asyncio.sleep(delay_s)
        try:
            return await part()
        except Exception:
            log.exception("flow.part_given_up", part=name)
            raise
