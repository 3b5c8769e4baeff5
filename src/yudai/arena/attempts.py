"""A run from its start to its verdict: as many attempts as the world makes necessary."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.prepare import Preparer
from yudai.arena.run import RunBrokeError, Runner
from yudai.arena.verify_runs import Prover
from yudai.artifacts.context import Context
from yudai.engine.guard import Activities
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import RefusedError, TakenError, WorldError
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
from yudai.verification.baseline import Prepared

log = structlog.get_logger()

MAX_ATTEMPTS = 3
MAX_TAKES = 10
"""How often other workers go on with what was submitted, or with a solve as a whole."""
_RESUMED = "run.resumed"
RETRY_DELAYS_S = (1.0, 5.0)
_MAX_TRACE = 20_000
_USED_UP = frozenset({Cause.OUT_OF_TIME, Cause.OUT_OF_BUDGET})
_GIVEN_UP = "the engine gave it up: see the workers' log"


@dataclass(frozen=True)
class Racer:
    context: Context
    worker_id: WorkerId
    activities: Activities
    preparer: Preparer
    runner: Runner
    prover: Prover
    verifications: asyncio.Semaphore
    """How many at once."""
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S

    async def race(self, run_id: RunId) -> SolveId:
        """Up to its end, or until it is not ours any more; whatever breaks it stays with it."""
        structlog.contextvars.bind_contextvars(run_id=run_id)
        solve, run = await self._take(run_id)
        while run is not None and run.state not in FINAL:
            is_whole = await self.activities.do(claim_of(run), self._attempt(solve, run))
            if not is_whole or not await self._is_to_repeat(run):
                break
            await asyncio.sleep(self._delay_s(run))
            solve, run = await self._take(run_id)
        return solve.id

    async def close_open(self, solve_id: SolveId, claim: Claim) -> None:
        """Runs that the engine gave up: nobody works at them any more."""
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            claim.check(await solves.hold(db, solve_id))
            for run in await runs.of_solve(db, solve_id):
                if run.state not in FINAL:
                    await _end(db, run, Cause.INTERNAL, _GIVEN_UP, at=now)

    async def _take(self, run_id: RunId) -> tuple[SolveRow, RunRow | None]:
        """Make it ours; one that was running belonged to a worker that died."""
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            run = await runs.hold(db, run_id)
            solve = await solves.get(db, run.solve_id)
            if run.state in FINAL:
                return solve, None
            if run.state is RunState.VERIFYING:
                return solve, await self._take_verifying(db, run)
            if run.state is RunState.RUNNING:
                # Our own when the database was away for longer than it was waited for.
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
        """What it submitted is kept; one whose verification ends its workers is given up."""
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
        # Being verified only when the database was away for a moment: then that goes on.
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
        except TakenError:
            log.warning("run.taken")
        except (RunBrokeError, WorldError) as error:
            await self._broke(run, claim, error.cause, str(error))
        except RefusedError as error:
            # It was checked when the solve opened: its model has gone since.
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
            # Another worker had prepared it, from what is not on this machine.
            raise RunBrokeError(Cause.SETUP_FAILED, str(error)) from error

    async def _verify(self, solve: SolveRow, run: RunRow) -> None:
        """The agent's work is done and kept: a sandbox that fails now costs only its own time."""

        async def verify() -> None:
            # Looked for each time: one that is gone by now is built again.
            prepared = await self._prepared(solve)
            await self.prover.verify_run(run.id, prepared, claim_of(run))

        async with self.verifications:
            await again_for_the_world(verify, self.retry_delays_s)

    async def _broke(
        self, run: RunRow, claim: Claim, cause: Cause, message: str, **facts: str
    ) -> None:
        """Once more for what is the world's fault, as the table of causes says; else its end."""
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
        except TakenError:
            log.warning("run.taken", cause=cause)


async def _blame(db: AsyncSession, run: RunRow, cause: Cause, message: str) -> tuple[Cause, str]:
    """Time and money that an attempt lost to the world are no fault of the contestant."""
    earlier = await attempts.of_run(db, run.id)
    if not earlier or cause not in _USED_UP:
        return cause, message
    return earlier[-1].cause, f"{earlier[-1].error}; no more tries: {message}"


async def _is_worth_another(db: AsyncSession, run: RunRow, cause: Cause, *, now: float) -> bool:
    if POLICIES[cause].retry == "final" or run.state is not RunState.RUNNING or _is_late(run, now):
        return False
    return await attempts.used(db, run.id) + 1 < MAX_ATTEMPTS


def _is_kept(run: RunRow, cause: Cause, *, now: float) -> bool:
    """What it submitted is stored: it only waits for a store that answers again."""
    is_waiting = run.state is RunState.VERIFYING and cause is Cause.STORE_FAILED
    return is_waiting and not _is_late(run, now)


def _is_late(run: RunRow, now: float) -> bool:
    return run.deadline_at is not None and now >= run.deadline_at


async def again_for_the_world(
    work: Callable[[], Awaitable[None]], delays_s: Sequence[float]
) -> None:
    """Once more after each delay, when it broke for a cause that the table calls worth it."""
    for delay_s in (*delays_s, None):
        try:
            await work()
        except StoreAwayError:
            raise
        except WorldError as error:
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
