"""Takes a run from its start to its verdict, retrying attempts that the infrastructure ended."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.prepare import Preparer
from yudai.arena.run import RunBrokeError, Runner
from yudai.arena.verify_runs import RunVerifier
from yudai.artifacts.context import Context
from yudai.engine.guard import WorkGuard
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import ClaimLostError, InfrastructureError, RefusedError
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.runs import attempts
from yudai.runs import queries as runs
from yudai.runs.domain.states import FINAL, RunEvent, RunState
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim, claim_of
from yudai.solves.tables import SolveRow
from yudai.store.outages import StoreAwayError
from yudai.verification.case import Prepared

log = structlog.get_logger()

MAX_ATTEMPTS = 3
MAX_TAKES = 10
"""How often other workers may take over a submitted run, or a solve."""
_RESUMED = "run.resumed"
RETRY_DELAYS_S = (1.0, 5.0)
_MAX_TRACE = 20_000
_USED_UP = frozenset({Cause.OUT_OF_TIME, Cause.OUT_OF_BUDGET})
_GIVEN_UP = "the engine gave up on it: see the workers' log"


@dataclass(frozen=True)
class RunSupervisor:
    context: Context
    worker_id: WorkerId
    work_guard: WorkGuard
    preparer: Preparer
    runner: Runner
    run_verifier: RunVerifier
    verifications: asyncio.Semaphore
    """How many at once."""
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S

    async def run(self, run_id: RunId) -> SolveId:
        """Run attempts until the run is final or its claim is lost.

        Errors are recorded on the run and never raised.
        """
        structlog.contextvars.bind_contextvars(run_id=run_id)
        solve, run = await self._take(run_id)
        while run is not None and run.state not in FINAL:
            is_whole = await self.work_guard.run(claim_of(run), self._attempt(solve, run))
            if not is_whole or not await self._is_to_repeat(run):
                break
            await asyncio.sleep(self._delay_s(run))
            solve, run = await self._take(run_id)
        return solve.id

    async def close_open(self, solve_id: SolveId, claim: Claim) -> None:
        """Fail open runs that the engine gave up."""
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            claim.check(await solves.hold(db, solve_id))
            for run in await runs.of_solve(db, solve_id):
                if run.state not in FINAL:
                    await _end(db, run, Cause.INTERNAL, _GIVEN_UP, at=now)

    async def _take(self, run_id: RunId) -> tuple[SolveRow, RunRow | None]:
        """Claim the run. A running one belonged to a dead worker."""
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            run = await runs.hold(db, run_id)
            solve = await solves.get(db, run.solve_id)
            if run.state in FINAL:
                return solve, None
            if run.state is RunState.VERIFYING:
                return solve, await self._take_verifying(db, run)
            if run.state is RunState.RUNNING:
                # It is our own after a database outage that was longer than our patience.
                is_ours = run.worker_id == self.worker_id
                cause = Cause.STORE_FAILED if is_ours else Cause.WORKER_LOST
                words = POLICIES[cause].message
                if await attempts.used(db, run_id) + 1 >= MAX_ATTEMPTS:
                    await _end(db, run, cause, words, at=now)
                    return solve, None
                run = await attempts.give_up(db, run, cause, words, at=now)
            budget_s = solve.budget.run_time_budget_s
            return solve, await attempts.start(
                db, run, self.worker_id, at=now, time_budget_s=budget_s
            )

    async def _take_verifying(self, db: AsyncSession, run: RunRow) -> RunRow | None:
        """Claim a submitted run; fail one whose verification keeps killing its workers."""
        if run.worker_id == self.worker_id:
            return run
        now = self.context.clock.now()
        if await events.count(db, run.solve_id, _RESUMED, run_id=run.id) >= MAX_TAKES:
            await _end(db, run, Cause.WORKER_LOST, POLICIES[Cause.WORKER_LOST].message, at=now)
            return None
        await events.append(db, run.solve_id, kind=_RESUMED, at=now, run_id=run.id)
        return await runs.change(db, run.id, worker_id=self.worker_id)

    async def _is_to_repeat(self, run: RunRow) -> bool:
        async with self.context.store.read() as db:
            row = await runs.get(db, run.id)
        # VERIFYING after a short database outage: continue with the verification.
        is_open = row.state in (RunState.QUEUED, RunState.VERIFYING)
        return is_open and row.worker_id == self.worker_id

    def _delay_s(self, run: RunRow) -> float:
        return self.retry_delays_s[min(run.attempt, len(self.retry_delays_s)) - 1]

    async def _attempt(self, solve: SolveRow, run: RunRow) -> None:
        claim = claim_of(run)
        try:
            if run.state is RunState.RUNNING:
                prepared = await self._prepared(solve)
                await self.runner.run_contestant(solve, run, prepared)
            await self._verify(solve, run)
        except ClaimLostError:
            log.warning("run.taken")
        except (RunBrokeError, InfrastructureError) as error:
            await self._broke(run, claim, error.cause, str(error))
        except RefusedError as error:
            # The model was checked when the solve was opened and has been removed since.
            await self._broke(run, claim, Cause.MODEL_FAILED, str(error))
        except DBAPIError as error:
            await self._broke(run, claim, Cause.STORE_FAILED, repr(error.orig))
        except Exception as error:
            log.exception("run.failed_unexpectedly")
            trace = "".join(traceback.format_exception(error))[-_MAX_TRACE:]
            await self._broke(run, claim, Cause.INTERNAL, repr(error), traceback=trace)

    async def _prepared(self, solve: SolveRow) -> Prepared:
        try:
            return await self.preparer.find(solve)
        except RefusedError as error:
            # Another worker prepared it from files that are not on this machine.
            raise RunBrokeError(Cause.SETUP_FAILED, str(error)) from error

    async def _verify(self, solve: SolveRow, run: RunRow) -> None:
        """Verify the stored patch. A sandbox that fails now costs only a retry."""

        async def verify() -> None:
            # Look it up each time: a base that was removed is built again.
            prepared = await self._prepared(solve)
            await self.run_verifier.verify_run(run.id, prepared, claim_of(run))

        async with self.verifications:
            await retry_transient(verify, self.retry_delays_s)

    async def _broke(
        self, run: RunRow, claim: Claim, cause: Cause, message: str, **facts: str
    ) -> None:
        """Retry the run if its cause's policy allows it, else fail it."""
        now = self.context.clock.now()
        try:
            async with self.context.store.change() as db:
                row = await runs.hold(db, run.id)
                claim.check(row)
                if row.state in FINAL or _is_kept(row, cause, now=now):
                    return
                if await _is_worth_another(db, row, cause, now=now):
                    await attempts.give_up(db, row, cause, message, at=now, claim=claim)
                else:
                    cause, message = await _blame(db, row, cause, message)
                    await _end(db, row, cause, message, at=now, facts=facts)
        except ClaimLostError:
            log.warning("run.taken", cause=cause)


async def _blame(db: AsyncSession, run: RunRow, cause: Cause, message: str) -> tuple[Cause, str]:
    """Time and money that the infrastructure wasted do not count against the contestant."""
    earlier = await attempts.of_run(db, run.id)
    if not earlier or cause not in _USED_UP:
        return cause, message
    return earlier[-1].cause, f"{earlier[-1].error}; no attempts left: {message}"


async def _is_worth_another(db: AsyncSession, run: RunRow, cause: Cause, *, now: float) -> bool:
    if POLICIES[cause].retry == "final" or run.state is not RunState.RUNNING or _is_late(run, now):
        return False
    return await attempts.used(db, run.id) + 1 < MAX_ATTEMPTS


def _is_kept(run: RunRow, cause: Cause, *, now: float) -> bool:
    """Whether the submitted patch is stored and only waits for the database."""
    is_waiting = run.state is RunState.VERIFYING and cause is Cause.STORE_FAILED
    return is_waiting and not _is_late(run, now)


def _is_late(run: RunRow, now: float) -> bool:
    return run.deadline_at is not None and now >= run.deadline_at


async def retry_transient(work: Callable[[], Awaitable[None]], delays_s: Sequence[float]) -> None:
    """Retry `work` after each delay while it fails with a cause whose policy allows a retry."""
    for delay_s in (*delays_s, None):
        try:
            await work()
        except StoreAwayError:
            raise
        except InfrastructureError as error:
            if delay_s is None or POLICIES[error.cause].retry == "final":
                raise
            log.warning("work.repeated", cause=error.cause, error=str(error))
            await asyncio.sleep(delay_s)
        else:
            return


async def _end(
    db: AsyncSession,
    run: RunRow,
    cause: Cause,
    message: str,
    *,
    at: float,
    facts: dict[str, str] | None = None,
) -> None:
    await runs.advance(
        db,
        run.id,
        RunEvent.BROKE,
        at=at,
        data={"cause": cause},
        cause=cause,
        error=message,
        diagnostics=facts or {},
    )
