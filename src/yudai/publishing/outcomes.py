"""What became of pull requests: only ever added to, each thing once."""

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError, NotFoundError
from yudai.kit.ids import SolveId
from yudai.publishing.tables import OutcomeRow
from yudai.solves import timeline as events
from yudai.solves.locks import hold_solve

MAX_ID = 2**63 - 1


async def add(db: AsyncSession, row: OutcomeRow) -> bool:
    """Keep it and tell the timeline; False when the same thing was seen before."""
    await hold_solve(db, row.solve_id)
    if await _has(db, row):
        return False
    db.add(row)
    await db.flush()
    await events.append(
        db,
        row.solve_id,
        kind=f"outcome.{row.kind}",
        at=row.seen_at,
        run_id=row.run_id,
        data={"outcome": row.id, "happened_at": row.at, "by": row.by, **row.evidence},
    )
    return True


async def of_solve(db: AsyncSession, solve_id: SolveId) -> list[OutcomeRow]:
    """In the order in which they were seen."""
    of = OutcomeRow.solve_id == solve_id
    return list(await db.scalars(select(OutcomeRow).where(of).order_by(OutcomeRow.id)))


async def get(db: AsyncSession, outcome_id: int) -> OutcomeRow:
    row = None
    if 0 < outcome_id <= MAX_ID:
        row = await db.get(OutcomeRow, outcome_id, populate_existing=True)
    if row is None:
        raise NotFoundError(f"there is no outcome {outcome_id}")
    return row


async def answer(db: AsyncSession, row: OutcomeRow, *, is_so: bool, by: str) -> bool:
    """What a person says of a suspicion; False when the same was said before."""
    await hold_solve(db, row.solve_id)
    unanswered = (OutcomeRow.id == row.id) & OutcomeRow.confirmed.is_(None)
    statement = update(OutcomeRow).where(unanswered).values(confirmed=is_so, confirmed_by=by)
    returning = statement.returning(OutcomeRow.id).execution_options(synchronize_session=False)
    changed = await db.scalar(returning)
    await db.refresh(row)
    if changed is None and row.confirmed is not is_so:
        raise ConflictError(f"outcome {row.id} was answered otherwise before: that stays")
    return changed is not None


async def _has(db: AsyncSession, row: OutcomeRow) -> bool:
    same = (
        (OutcomeRow.solve_id == row.solve_id)
        & (OutcomeRow.kind == row.kind)
        & (OutcomeRow.key == row.key)
    )
    return await db.scalar(select(OutcomeRow.id).where(same).limit(1)) is not None
