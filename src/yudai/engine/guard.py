"""Runs this worker's tasks and cancels each one whose claim was lost."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.concurrency import repeat_in_background
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain import states as run_state
from yudai.runs.tables import RunRow
from yudai.solves.claims import Claim, kind_of
from yudai.solves.domain import states as solve_state
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

GUARD_S = 0.5


class _Work(NamedTuple):
    claim: Claim
    task: asyncio.Task[None]


@dataclass(frozen=True)
class WorkGuard:
    """Runs work in separate tasks, so that cancelling it does not cancel the caller."""

    store: Store
    _working: dict[SolveId | RunId, _Work] = field(default_factory=dict[SolveId | RunId, _Work])
    _revoked: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def run(self, claim: Claim, work: Coroutine[Any, Any, None]) -> bool:
        """Run the work to its end; False when it was cancelled because its claim was lost."""
        task = asyncio.create_task(work, name=f"{claim.kind}-{claim.of}")
        self._working[claim.of] = _Work(claim, task)
        try:
            await task
        except asyncio.CancelledError:
            if task not in self._revoked or _is_cancelled_itself():
                raise
            return False
        finally:
            del self._working[claim.of]
            self._revoked.discard(task)
        return True

    def watching(self, *, every_s: float = GUARD_S) -> AbstractAsyncContextManager[None]:
        """Check claims periodically. The lease limits how long the database may be unavailable."""
        return repeat_in_background(
            self.cancel_lost, every_s, name="guard", failed="guard.cannot_read"
        )

    async def cancel_lost(self) -> int:
        """Cancel work that was cancelled or taken over in the database; return how many tasks."""
        ours = [work.claim for work in self._working.values()]
        if not ours:
            return 0
        async with self.store.read() as db:
            lost = await lost_claims(db, ours)
        return sum(self._revoke(claim) for claim in lost)

    def _revoke(self, claim: Claim) -> bool:
        work = self._working.get(claim.of)
        if work is None or work.claim != claim or work.task in self._revoked:
            return False
        log.info("work.revoked", kind=claim.kind, id=claim.of)
        self._revoked.add(work.task)
        return work.task.cancel()


def _is_cancelled_itself() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def lost_claims(db: AsyncSession, held: Sequence[Claim]) -> list[Claim]:
    """Claims whose solve or run has ended or belongs to another worker."""
    return [
        claim
        for table, over in ((SolveRow, solve_state.RESTING), (RunRow, run_state.FINAL))
        for claim in await _lost(db, table, over, held)
    ]


async def _lost(
    db: AsyncSession,
    table: type[SolveRow] | type[RunRow],
    over: frozenset[solve_state.SolveState] | frozenset[run_state.RunState],
    held: Sequence[Claim],
) -> list[Claim]:
    kind = kind_of(table)
    ours = {claim.of: claim for claim in held if claim.kind == kind}
    if not ours:
        return []
    query = select(table.id, table.worker_id, table.attempt, table.state)
    rows = (await db.execute(query.where(table.id.in_(list(ours))))).all()
    still = {
        row.id
        for row in rows
        if row.state not in over
        and (row.worker_id, row.attempt) == (ours[row.id].worker_id, ours[row.id].attempt)
    }
    return [claim for of, claim in ours.items() if of not in still]
