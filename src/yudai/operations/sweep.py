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
from yudai.kit.ids import SolveId
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveEvent, SolveState
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
                await self._look_after(row.id, row.user_id)
        await _do("sweep", self.chores)

    async def _look_after(self, solve_id: SolveId, user_id: str) -> None:
        """Start a missing flow, or fail the solve if the engine gave its flow up."""
        status = await self.engine.status(solve_id)
        if status is FlowStatus.UNKNOWN:
            await self.engine.start(solve_id, user_id=user_id)
        elif status is FlowStatus.ENDED and await self.stopper.stop(
            solve_id, SolveEvent.BROKE, _GAVE_UP
        ):
            log.error("solve.given_up", solve_id=solve_id)


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
