"""Cancelling from another process: it leaves a request, and who runs the flow looks for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import SQLAlchemyError

from yudai.domain.errors import ConflictError, YudaiError
from yudai.domain.ids import SolveId, short
from yudai.domain.solve_state import RESTING, SolveEvent, SolveState
from yudai.ports.clock import Clock
from yudai.ports.engine import Engine
from yudai.services.stopping import Stopper
from yudai.services.together import together
from yudai.store import events, solves
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

WATCH_S = 0.5
PATIENCE_S = 60.0
_POLL_S = 0.1


@dataclass(frozen=True)
class CancelWatcher:
    """In a process that runs flows: ends those that another process asked to end."""

    store: Store
    engine: Engine

    @asynccontextmanager
    async def watching(self, *, every_s: float = WATCH_S) -> AsyncGenerator[None]:
        task = asyncio.create_task(self._watch(every_s), name="cancel-watcher")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled() and (error := task.exception()):
                log.error("cancel_watcher.failed", error=repr(error))

    async def look(self) -> int:
        """Cancel what was asked for and runs here; returns how many that were."""
        async with self.store.read() as db:
            asked = await solves.to_cancel(db)
        return sum(await together(self.engine.cancel(solve_id) for solve_id in asked))

    async def _watch(self, every_s: float) -> None:
        while True:
            try:
                await self.look()
            except SQLAlchemyError as error:
                # A database that is busy or full for a moment: the request is still there.
                log.warning("cancel_watcher.cannot_read", error=repr(error))
            await asyncio.sleep(every_s)


@dataclass(frozen=True)
class Canceller:
    """In any other process; its engine is only asked which flows are alive."""

    store: Store
    engine: Engine
    clock: Clock
    stopper: Stopper

    async def request(self, solve_id: SolveId) -> None:
        now = self.clock.now()
        async with self.store.change() as db:
            solve = await solves.hold(db, solve_id)
            if solve.state in RESTING:
                raise ConflictError(
                    f"solve {short(solve_id)} is {solve.state}: there is nothing to cancel"
                )
            if solve.cancel_requested_at is None:
                await solves.change(db, solve_id, cancel_requested_at=now)
                await events.append(db, solve_id, kind="solve.cancel_requested", at=now)

    async def settle(self, solve_id: SolveId, *, patience_s: float = PATIENCE_S) -> SolveState:
        """Return when it has ended; one whose process is dead is ended here."""
        try:
            async with asyncio.timeout(patience_s):
                return await self._settled(solve_id)
        except TimeoutError:
            raise YudaiError(
                f"solve {short(solve_id)} was asked to end, but has not after {patience_s:g} s:"
                " look at the process that runs it"
            ) from None

    async def _settled(self, solve_id: SolveId) -> SolveState:
        while True:
            async with self.store.read() as db:
                state = (await solves.get(db, solve_id)).state
            if state in RESTING:
                return state
            if await self.stopper.is_dead(solve_id, self.engine):
                await self.stopper.stop(solve_id, SolveEvent.CANCELLED, "cancelled")
            else:
                await asyncio.sleep(_POLL_S)
