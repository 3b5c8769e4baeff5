"""What nobody else would notice: solves without a flow, sandboxes without a run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

import structlog

from yudai.arena.cancel import Stopper
from yudai.engine.port import Engine, FlowStatus
from yudai.kit.clock import Clock
from yudai.kit.concurrency import repeating
from yudai.kit.ids import SolveId
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

SWEEP_S = 5.0
# Younger ones may be just about to be started by whoever opened them.
_GRACE_S = 5.0
_GAVE_UP = "the engine gave it up: see the workers' log"
_FAILED = "chore.failed"

Chore = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Sweeper:
    """Every worker sweeps: each act is harmless when another one did it first."""

    store: Store
    clock: Clock
    engine: Engine
    stopper: Stopper
    chores: tuple[Chore, ...] = ()
    """Done with every sweep."""

    async def sweep(self) -> None:
        await self.stopper.bury_dead()
        async with self.store.read() as db:
            rows = await solves.in_states(db, (SolveState.QUEUED, SolveState.RUNNING))
        old = self.clock.now() - _GRACE_S
        for row in rows:
            if row.durable and row.created_at < old:
                await self._look_after(row.id, row.user_id)
        await _do("sweep", self.chores)

    async def _look_after(self, solve_id: SolveId, user_id: str) -> None:
        """Start its flow if it has none; say so if the engine has given it up."""
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
    """Done again and again, in a task of its own: who is slow to answer holds nothing else up."""
    return repeating(partial(_do, name, chores), every_s, name=name, failed=_FAILED)


async def _do(name: str, chores: tuple[Chore, ...]) -> None:
    """Each, whatever becomes of the others."""
    for chore in chores:
        try:
            await chore()
        except Exception as error:  # noqa: BLE001 - the next round may fare better
            log.warning(_FAILED, round=name, error=repr(error))
