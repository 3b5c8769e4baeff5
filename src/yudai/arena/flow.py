"""The story of a solve: prepare, run, verify, cross-examine, decide, rank, offer, publish."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from yudai.arena.attempts import MAX_TAKES, RunSupervisor, retry_transient
from yudai.arena.cancel import Stopper
from yudai.arena.conclude import Concluder
from yudai.arena.prepare import Preparer, UnverifiableError
from yudai.arena.verify_runs import RunVerifier
from yudai.artifacts.context import Context
from yudai.engine.guard import WorkGuard
from yudai.engine.port import RunBatch
from yudai.kit.errors import ClaimLostError, InfrastructureError, RefusedError
from yudai.kit.ids import MessageId, RunId, SolveId, WorkerId
from yudai.runs import attempts
from yudai.runs import queries as runs
from yudai.runs.domain.states import FINAL
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim, claim_of
from yudai.solves.domain.states import SolveEvent
from yudai.solves.tables import SolveRow
from yudai.store.outages import StoreAwayError

log = structlog.get_logger()

_FATAL = "every worker that continued it died: see their logs"
NO_RUNS = RunBatch(runs=(), parallel=1)
Notify = Callable[[SolveId], Awaitable[object]]
Reply = Callable[[MessageId], Awaitable[None]]


async def _nowhere(_solve_id: SolveId) -> None:
    """A folder's champion is not published; it waits for a person's decision."""


@dataclass(frozen=True)
class SolveFlow:
    """Each part reads the database first, so any worker can start it again after a crash."""

    context: Context
    worker_id: WorkerId
    work_guard: WorkGuard
    preparer: Preparer
    supervisor: RunSupervisor
    run_verifier: RunVerifier
    concluder: Concluder
    stopper: Stopper
    notify: Notify
    """Posts milestones to the solve's conversation."""
    reply: Reply
    publish: Notify = _nowhere
    """Publishes the champion, or that there is none, if that happens without a request."""

    async def __call__(self, solve_id: SolveId) -> None:
        """The whole flow in one process; a durable engine runs the same parts."""
        batch = await self.prepare(solve_id)
        slots = asyncio.Semaphore(batch.parallel)

        async def run_one(run_id: RunId) -> None:
            async with slots:
                await self.run(run_id)

        async with asyncio.TaskGroup() as group:
            for run_id in batch.runs:
                group.create_task(run_one(run_id))
        if await self._is_ours(solve_id):
            await self.conclude(solve_id)

    async def prepare(self, solve_id: SolveId) -> RunBatch:
        await self._part(solve_id, self.preparer.prepare)
        async with self.context.store.read() as db:
            solve = await solves.get(db, solve_id)
            rows = await runs.of_solve(db, solve_id)
        left = tuple(run.id for run in rows if run.state not in FINAL)
        return RunBatch(runs=left, parallel=solve.budget.max_parallel) if left else NO_RUNS

    async def run(self, run_id: RunId) -> None:
        solve_id = await self.supervisor.run(run_id)
        await self.notify(solve_id)

    async def conclude(self, solve_id: SolveId) -> None:
        await self._part(solve_id, self._conclude)
        # It checks itself whether a champion was offered and what is already published.
        await self.publish(solve_id)

    async def answer(self, message_id: MessageId) -> None:
        await self.reply(message_id)

    async def _is_ours(self, solve_id: SolveId) -> bool:
        """False when another worker took over: it may still execute runs."""
        async with self.context.store.read() as db:
            return (await solves.get(db, solve_id)).worker_id == self.worker_id

    async def _conclude(self, solve: SolveRow, claim: Claim) -> None:
        await self.supervisor.close_open(solve.id, claim)
        if not await self.run_verifier.has_cross_examined(solve.id):
            prepared = await self.preparer.find(solve)
            await self.run_verifier.cross_examine_runs(solve.id, prepared, claim)
        # After an answer only this is done again: it needs no base and no sandbox.
        await self.concluder.conclude(solve.id, claim)

    async def _part(
        self, solve_id: SolveId, part: Callable[[SolveRow, Claim], Awaitable[None]]
    ) -> None:
        """Claim the solve and execute a part of it. A failure ends the solve."""
        structlog.contextvars.bind_contextvars(solve_id=solve_id)
        async with self.context.store.change() as db:
            solve = await attempts.take_solve(
                db, solve_id, self.worker_id, at=self.context.clock.now()
            )
            taken = await events.count(db, solve_id, attempts.RESUMED, run_id=None)
        if solve is not None and taken > MAX_TAKES:
            await self.stopper.stop(solve_id, SolveEvent.BROKE, _FATAL)
            solve = None
        await self.notify(solve_id)
        if solve is None:
            return
        claim = claim_of(solve)
        await self.work_guard.run(claim, self._survive(solve, claim, part))
        await self.notify(solve_id)

    async def _survive(
        self,
        solve: SolveRow,
        claim: Claim,
        part: Callable[[SolveRow, Claim], Awaitable[None]],
    ) -> None:
        try:
            await retry_transient(lambda: part(solve, claim), self.supervisor.retry_delays_s)
        except ClaimLostError:
            log.warning("solve.taken", solve_id=solve.id)
        except StoreAwayError:
            # Nothing can be written now: the engine starts this part again.
            raise
        except UnverifiableError as error:
            await self.stopper.stop(solve.id, SolveEvent.ABSTAINED, str(error))
        except (InfrastructureError, RefusedError) as error:
            await self.stopper.stop(solve.id, SolveEvent.BROKE, str(error))
        except Exception as error:
            await self.stopper.stop(solve.id, SolveEvent.BROKE, f"Yudai failed: {error!r}")
            raise
