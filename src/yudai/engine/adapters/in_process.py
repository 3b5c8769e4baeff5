"""Runs flows as tasks of this process; they end with it."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from yudai.engine.port import FlowStatus
from yudai.kit.ids import MessageId, SolveId

Key = SolveId | MessageId | tuple[SolveId, int]
"""What a task is for: a solve, a message, or a solve's conclusion after an answer."""


class InProcessEngine:
    def __init__(
        self,
        flow: Callable[[SolveId], Awaitable[None]],
        answer: Callable[[MessageId], Awaitable[None]],
        conclude: Callable[[SolveId], Awaitable[None]],
    ) -> None:
        self._flow = flow
        self._answer = answer
        self._conclude = conclude
        self._tasks: dict[Key, asyncio.Task[None]] = {}

    async def start(self, solve_id: SolveId, *, user_id: str = "") -> None:
        del user_id
        self._begin(solve_id, partial(self._flow, solve_id))

    async def answer(self, message_id: MessageId) -> None:
        self._begin(message_id, partial(self._answer, message_id))

    async def conclude(self, solve_id: SolveId, *, turn: int) -> None:
        self._begin((solve_id, turn), partial(self._conclude, solve_id))

    async def status(self, solve_id: SolveId, *, turn: int = 0) -> FlowStatus:
        task = self._tasks.get((solve_id, turn) if turn else solve_id)
        if task is None:
            return FlowStatus.UNKNOWN
        return FlowStatus.ENDED if task.done() else FlowStatus.RUNNING

    async def wait(self, solve_id: SolveId, *, turn: int = 0) -> None:
        """Return when the flow has ended; raise what it raised, unless it was cancelled."""
        task = self._tasks[(solve_id, turn) if turn else solve_id]
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()):
            raise error

    async def cancel(self, solve_id: SolveId) -> bool:
        """Return when it has ended. A second call only waits, to leave the clean-up alone."""
        task = self._tasks.get(solve_id)
        if task is None or task.done():
            return False
        if not task.cancelling():
            task.cancel()
        await asyncio.wait([task])
        return True

    async def close(self) -> None:
        for task in self._tasks.values():
            if not task.done() and not task.cancelling():
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    def running(self) -> list[Key]:
        return [key for key, task in self._tasks.items() if not task.done()]

    def _begin(self, key: Key, work: Callable[[], Awaitable[None]]) -> None:
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(_do(work), name=f"flow-{key}")


async def _do(work: Callable[[], Awaitable[None]]) -> None:
    await work()
