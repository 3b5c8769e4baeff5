"""What the attempts of a run have cost."""

from typing import NamedTuple

from sqlalchemy import case, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import RunId
from yudai.runs.spending.holds import MOST_MICROS
from yudai.runs.tables import DeskRow, RunRow


class Purchase(NamedTuple):
    """Of one call."""

    cost_micros: int
    uncertain_micros: int


async def used_micros(db: AsyncSession, run_id: RunId) -> int:
    """What all attempts of a run have cost, or may have; its solve is held."""
    cost = select(RunRow.earlier_cost_micros + RunRow.cost_micros).where(RunRow.id == run_id)
    lost = select(func.sum(DeskRow.uncertain_micros)).where(DeskRow.run_id == run_id)
    return int(await db.scalar(cost) or 0) + int(await db.scalar(lost) or 0)


async def charge(db: AsyncSession, run_id: RunId, attempt: int, bought: Purchase) -> None:
    """In the transaction that settles the call, so that its money is never out of sight."""
    cost = min(bought.cost_micros, MOST_MICROS)
    if cost:
        is_present = RunRow.attempt == attempt
        earlier = RunRow.earlier_cost_micros
        changes = {
            "cost_micros": RunRow.cost_micros + case((is_present, cost), else_=0),
            "earlier_cost_micros": earlier + case((is_present, 0), else_=cost),
            "rev": RunRow.rev + 1,
        }
        statement = update(RunRow).where(RunRow.id == run_id).values(**changes)
        await db.execute(statement, execution_options={"synchronize_session": False})
    if bought.uncertain_micros:
        row = await desk_row(db, run_id, attempt)
        row.uncertain_micros += min(bought.uncertain_micros, MOST_MICROS)


async def desk_row(db: AsyncSession, run_id: RunId, attempt: int) -> DeskRow:
    row = await db.get(DeskRow, (run_id, attempt), populate_existing=True)
    if row is None:
        row = DeskRow(run_id=run_id, attempt=attempt)
        db.add(row)
    return row
