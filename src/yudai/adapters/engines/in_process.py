"""Flows as tasks of this process: they end with it (the durable engine comes with the service)."""

import asyncio
from collections.abc import Awaitable, Callable

from yudai.domain.ids import SolveId
from yudai.ports.engine import FlowStatus

Flow = Callable[[SolveId], Awaitable[None]]


class InProcessEngine:
    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._tasks: dict[SolveId, asyncio.Task[None]] = {}

    async def start(self, solve_id: SolveId) -> None:
        if solve_id not in self._tasks:
            self._tasks[solve_id] = asyncio.create_task(
                self._run(solve_id), name=f"flow-{solve_id}"
            )

    async def cancel(self, solve_id: SolveId) -> bool:
        task = self._tasks.get(solve_id)
        if task is None or task.done():
            return False
        task.cancel()
        await asyncio.wait([task])
        return True

    async def status(self, solve_id: SolveId) -> FlowStatus:
        task = self._tasks.get(solve_id)
        if task is None:
            return FlowStatus.UNKNOWN
        return FlowStatus.ENDED if task.done() else FlowStatus.RUNNING

    async def wait(self, solve_id: SolveId) -> None:
        """Return when the flow has ended; raise what it raised, unless it was cancelled."""
        task = self._tasks[solve_id]
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()):
            raise error

    async def close(self) -> None:
        for solve_id in self._tasks:
            await self.cancel(solve_id)

    async def _run(self, solve_id: SolveId) -> None:
        await self._flow(solve_id)
