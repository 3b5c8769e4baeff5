"""Costs and durations of runs."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.states import RESTING
from yudai.solves.queries import NEWEST_FIRST
from yudai.solves.tables import SolveRow


class Spent(NamedTuple):
    solve_id: SolveId
    repo: str
    at: float
    """When the solve was opened."""
    champion: RunId | None
    run_id: RunId
    contestant: Contestant
    cost_micros: int


async def since(db: AsyncSession, user_id: str, at: float) -> Sequence[Spent]:
    """Cost of each run of a user's solves since then, with all its attempts."""
    query = (
        select(
            SolveRow.id,
            SolveRow.repo,
            SolveRow.created_at,
            SolveRow.champion_run_id,
            RunRow.id,
            RunRow.contestant,
            RunRow.cost_micros + RunRow.earlier_cost_micros,
        )
        .join(RunRow, RunRow.solve_id == SolveRow.id)
        .where(SolveRow.user_id == user_id, SolveRow.created_at >= at)
    )
    return [Spent._make(row) for row in await db.execute(query)]


async def at_risk(db: AsyncSession, user_id: str, since: float) -> int:
    """What a user's solves since then have cost, or may still cost while they are open."""
    query = select(
        SolveRow.state, SolveRow.budget, SolveRow.spent_micros, SolveRow.uncertain_micros
    ).where(SolveRow.user_id == user_id, SolveRow.created_at >= since)
    return sum(
        spent + uncertain if state in RESTING else budget.cost_cap_micros
        for state, budget, spent, uncertain in await db.execute(query)
    )


class RunDuration(NamedTuple):
    contestant: Contestant
    seconds: float


async def run_durations(db: AsyncSession, user_id: str, *, newest: int) -> list[RunDuration]:
    """How long completed runs of a user's newest solves took, from start to verdict."""
    looked_at = (
        select(SolveRow.id).where(SolveRow.user_id == user_id).order_by(*NEWEST_FIRST).limit(newest)
    )
    query = select(RunRow.contestant, RunRow.finished_at - RunRow.started_at).where(
        RunRow.solve_id.in_(looked_at),
        RunRow.state == RunState.COMPLETED,
        RunRow.started_at.is_not(None),
        RunRow.finished_at.is_not(None),
    )
    return [RunDuration(contestant, seconds) for contestant, seconds in await db.execute(query)]
