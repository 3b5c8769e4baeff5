"""What an attempt's agent has asked of the model endpoint, by all processes that answer there."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import RunId
from yudai.runs.spending.run_account import desk_row
from yudai.runs.tables import DeskRow, RunRow


class Standing(NamedTuple):
    refused: int = 0
    is_closed: bool = False


async def standing(db: AsyncSession, run_id: RunId, attempt: int) -> Standing:
    row = await db.get(DeskRow, (run_id, attempt), populate_existing=True)
    return Standing() if row is None else Standing(row.refused, row.closed_at is not None)


async def count_refused(db: AsyncSession, run: RunRow) -> int:
    """One more; how many there are. The run is held."""
    row = await desk_row(db, run.id, run.attempt)
    row.refused += 1
    return row.refused


async def close(db: AsyncSession, run_id: RunId, attempt: int, *, at: float) -> None:
    """From now on nothing is told of this attempt; the run is held."""
    row = await desk_row(db, run_id, attempt)
    row.closed_at = row.closed_at or at
