"""Attempts of a run: claimed by a worker, and kept when the infrastructure ended one."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts import queries as artifacts
from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.tables import AttemptRow, RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.domain.states import RESTING, SolveEvent, SolveState
from yudai.solves.tables import SolveRow

RESUMED = "solve.resumed"
_NUMBERS = ("steps", "message_count", "input_tokens", "cached_tokens", "output_tokens")
# Columns that the next attempt resets.
_FRESH: dict[str, Any] = {
    **dict.fromkeys((*_NUMBERS, "edits", "cost_micros"), 0),
    "sandbox_id": "",
    "exit_status": "",
    "edits_capped": False,
    "started_at": None,
    "marks": (),
}


async def take_solve(
    db: AsyncSession, solve_id: SolveId, worker_id: WorkerId, *, at: float
) -> SolveRow | None:
    """Claim a solve's flow, also from a dead worker; None when the solve is no longer open."""
    row = await solves.hold(db, solve_id)
    if row.state in RESTING:
        return None
    attempt = row.attempt + 1
    if row.state is SolveState.QUEUED:
        return await solves.advance(
            db, solve_id, SolveEvent.STARTED, at=at, worker_id=worker_id, attempt=attempt
        )
    # An answered solve belongs to no worker.
    if row.worker_id not in ("", worker_id):
        await events.append(db, solve_id, kind=RESUMED, at=at)
    return await solves.change(db, solve_id, worker_id=worker_id, attempt=attempt)


async def start(
    db: AsyncSession, run: RunRow, worker_id: WorkerId, *, at: float, time_budget_s: float
) -> RunRow:
    """Start the run's present attempt."""
    deadline = at + time_budget_s if run.deadline_at is None else run.deadline_at
    if run.contestant.is_patch:
        # It needs no time of its own: limits are for agents.
        deadline = None
    return await runs.advance(
        db,
        run.id,
        RunEvent.STARTED,
        at=at,
        data={"attempt": run.attempt} if run.attempt > 1 else None,
        worker_id=worker_id,
        deadline_at=deadline,
    )


async def give_up(
    db: AsyncSession,
    run: RunRow,
    cause: Cause,
    error: str,
    *,
    at: float,
    claim: Claim | None = None,
) -> RunRow:
    """End the attempt and queue the run for the next one."""
    kept = AttemptRow(
        run_id=run.id,
        number=run.attempt,
        worker_id=run.worker_id,
        sandbox_id=run.sandbox_id,
        started_at=run.started_at,
        finished_at=at,
        cause=cause,
        error=error,
        cost_micros=run.cost_micros,
        **{name: getattr(run, name) for name in _NUMBERS},
    )
    queued = await runs.advance(
        db,
        run.id,
        RunEvent.RETRIED,
        at=at,
        data={"attempt": run.attempt, "cause": cause},
        claim=claim,
        attempt=run.attempt + 1,
        earlier_cost_micros=run.earlier_cost_micros + run.cost_micros,
        **_FRESH,
    )
    if not run.contestant.is_patch:
        # A patch that was given belongs to every attempt.
        kept.artifacts = await artifacts.take_away(db, run.id)
    db.add(kept)
    return queued


async def requeue_runs_of(db: AsyncSession, worker_id: WorkerId, words: str, *, at: float) -> int:
    """Queue again the runs of a worker that is being stopped; return how many."""
    mine = (RunRow.worker_id == worker_id) & (RunRow.state == RunState.RUNNING)
    rows = list(await db.scalars(select(RunRow.id).where(mine).order_by(RunRow.id)))
    for run_id in rows:
        run = await runs.hold(db, run_id)
        if run.worker_id == worker_id and run.state is RunState.RUNNING:
            await give_up(db, run, Cause.WORKER_LEFT, words, at=at)
    return len(rows)


async def used(db: AsyncSession, run_id: RunId) -> int:
    """How many attempts count against the limit. Those of a stopped worker do not."""
    gone = (AttemptRow.run_id == run_id) & (AttemptRow.cause != Cause.WORKER_LEFT)
    return await db.scalar(select(func.count()).select_from(AttemptRow).where(gone)) or 0


async def of_run(db: AsyncSession, run_id: RunId) -> list[AttemptRow]:
    """Earlier attempts of a run, in order."""
    query = select(AttemptRow).where(AttemptRow.run_id == run_id).order_by(AttemptRow.number)
    return list(await db.scalars(query))
