"""What runs cost, with what it was spent on."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.domain.ids import RunId, SolveId
from yudai.domain.matrix import Contestant
from yudai.store.tables import RunRow, SolveRow


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
    """Each run of somebody's solves from then on, with all its attempts."""
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
