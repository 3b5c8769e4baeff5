"""The work of this process, and its guard: what is not ours any more is stopped."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog
from sqlalchemy.exc import SQLAlchemyError

from yudai.domain.errors import YudaiError
from yudai.domain.ids import RunId, SolveId
from yudai.store import claims
from yudai.store.claims import Claim
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

GUARD_S = 0.5


class _Work(NamedTuple):
    claim: Claim
    task: asyncio.Task[None]


@dataclass(frozen=True)
class Activities:
    """Work is done in a task of its own, so that stopping it leaves its caller going."""

    store: Store
    _working: dict[SolveId | RunId, _Work] = field(default_factory=dict[SolveId | RunId, _Work])
    _revoked: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def do(self, claim: Claim, work: Coroutine[Any, Any, None]) -> bool:
        """Do it to its end; False when it was stopped because it is not ours any more."""
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

    @asynccontextmanager
    async def guarded(self, *, every_s: float = GUARD_S) -> AsyncGenerator[None]:
        guard = asyncio.create_task(self._guard(every_s), name="guard")
        try:
            yield
        finally:
            guard.cancel()
            await asyncio.wait([guard])
            if not guard.cancelled() and (error := guard.exception()):
                log.error("guard.failed", error=repr(error))

    async def look(self) -> int:
        """Stop what somebody cancelled or took up in our place; returns how much that was."""
        ours = [work.claim for work in self._working.values()]
        if not ours:
            return 0
        async with self.store.read() as db:
            lost = await claims.lost(db, ours)
        return sum(self._revoke(claim) for claim in lost)

    def _revoke(self, claim: Claim) -> bool:
        work = self._working.get(claim.of)
        if work is None or work.claim != claim or work.task in self._revoked:
            return False
        log.info("work.revoked", kind=claim.kind, id=claim.of)
        self._revoked.add(work.task)
        return work.task.cancel()

    async def _guard(self, every_s: float) -> None:
        while True:
            try:
                await self.look()
            except (SQLAlchemyError, YudaiError) as error:
                # A database that is away for a moment: the lease decides how long that may last.
                log.warning("guard.cannot_read", error=repr(error))
            await asyncio.sleep(every_s)


def _is_cancelled_itself() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
