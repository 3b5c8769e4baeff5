"""Periodic repair: starts flows that were never started and ends solves whose process died."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

import structlog

from yudai.arena.cancel import Stopper
from yudai.engine.port import Engine, FlowStatus
from yudai.kit.clock import Clock
from yudai.kit.concurrency import repeat_in_background
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

SWEEP_S = 5.0
# Younger solves may be about to be started by their own process.
_GRACE_S = 5.0
_GAVE_UP = "the engine gave up on it: see the workers' log"
_FAILED = "chore.failed"

Chore = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Sweeper:
    """Repairs solves. Every worker sweeps; each action is idempotent."""

    store: Store
    clock: Clock
    engine: Engine
    stopper: Stopper
    chores: tuple[Chore, ...] = ()
    """Other tasks that run with every sweep."""

    async def sweep(self) -> None:
        await self.stopper.fail_dead()
        async with self.store.read() as db:
            rows = await solves.in_states(db, (SolveState.QUEUED, SolveState.RUNNING))
        old = self.clock.now() - _GRACE_S
        for row in rows:
            if row.durable and row.created_at < old:
                await self._look_after(row)
        await _do("sweep", self.chores)

    async def _look_after(self, row: SolveRow) -> None:
        """Start a missing flow or conclusion, or fail the solve if the engine gave it up."""
        async with self.store.read() as db:
            turn = await events.count(db, row.id, events.ANSWERED, run_id=None)
        status = await self.engine.status(row.id, turn=turn)
        if status is FlowStatus.UNKNOWN and turn:
            await self.engine.conclude(row.id, turn=turn)
        elif status is FlowStatus.UNKNOWN:
            await self.engine.start(row.id, user_id=row.user_id)
        elif status is FlowStatus.ENDED and await self.stopper.stop(
            row.id, SolveEvent.BROKE, _GAVE_UP, attempt=row.attempt
        ):
            log.error("solve.given_up", solve_id=row.id)


def rounds(
    name: str, *chores: Chore, every_s: float = SWEEP_S
) -> AbstractAsyncContextManager[None]:
    """Run chores periodically in a separate task, so that slow ones do not block others."""
    return repeat_in_background(partial(_do, name, chores), every_s, name=name, failed=_FAILED)


async def _do(name: str, chores: tuple[Chore, ...]) -> None:
    """Run each chore, also when another one fails."""
    for chore in chores:
        try:
            await chore()
        except Exception as error:  # noqa: BLE001 - the next round tries again
            log.warning(_FAILED, round=name, error=repr(error))
