"""Flows as tasks of this process: they end with it (the durable engine comes with the service)."""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from yudai.domain.ids import SolveId
from yudai.ports.engine import FlowStatus

Flow = Callable[[SolveId], Awaitable[None]]


class InProcessEngine:
    """Each running flow holds a lock: another process can tell whether it is alive."""

    def __init__(self, flow: Flow, locks: Path) -> None:
        self._flow = flow
        self._locks = locks
        self._tasks: dict[SolveId, asyncio.Task[None]] = {}

    async def start(self, solve_id: SolveId) -> None:
        if solve_id not in self._tasks:
            lock = self._lock(solve_id)
            task = asyncio.create_task(self._run(solve_id), name=f"flow-{solve_id}")
            task.add_done_callback(lambda _: self._release(solve_id, lock))
            self._tasks[solve_id] = task

    async def cancel(self, solve_id: SolveId) -> bool:
        """Return when it has ended; cancelling twice waits, it does not disturb the clean-up."""
        task = self._tasks.get(solve_id)
        if task is None or task.done():
            return False
        if not task.cancelling():
            task.cancel()
        await asyncio.wait([task])
        return True

    async def status(self, solve_id: SolveId) -> FlowStatus:
        task = self._tasks.get(solve_id)
        if task is not None:
            return FlowStatus.ENDED if task.done() else FlowStatus.RUNNING
        return FlowStatus.RUNNING if self._is_held(solve_id) else FlowStatus.UNKNOWN

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

    def _lock(self, solve_id: SolveId) -> int:
        self._locks.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._locks / solve_id, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor

    def _release(self, solve_id: SolveId, lock: int) -> None:
        (self._locks / solve_id).unlink(missing_ok=True)
        os.close(lock)

    def _is_held(self, solve_id: SolveId) -> bool:
        try:
            descriptor = os.open(self._locks / solve_id, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False
