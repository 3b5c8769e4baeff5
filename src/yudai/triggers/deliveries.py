"""Queries of webhook deliveries: hints about what may have changed at a forge."""

from collections.abc import Collection, Sequence

from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.store.rows import insert_row
from yudai.triggers.tables import DeliveryRow

KEPT_S = 30 * 24 * 3600.0


async def add(db: AsyncSession, row: DeliveryRow) -> bool:
    """Store a delivery; False when it came before, under this id or another one.

    An unprocessed one that comes again gets new tries.
    """
    if await insert_row(db, row):
        return True
    same = or_(DeliveryRow.id == row.id, DeliveryRow.body_sha256 == row.body_sha256)
    again = update(DeliveryRow).where(same, DeliveryRow.processed_at.is_(None))
    await db.execute(again.values(tries=0))
    return False


async def waiting(db: AsyncSession, *, most_tries: int, limit: int) -> Sequence[DeliveryRow]:
    """Unprocessed deliveries with the fewest tries first, then the oldest."""
    query = (
        select(DeliveryRow)
        .where(DeliveryRow.processed_at.is_(None), DeliveryRow.tries < most_tries)
        .order_by(DeliveryRow.tries, DeliveryRow.received_at, DeliveryRow.id)
        .limit(limit)
    )
    return (await db.scalars(query)).all()


async def try_on(db: AsyncSession, ids: Collection[str]) -> None:
    """Count a try before it starts, so that one that kills its worker is not tried forever."""
    tried = update(DeliveryRow).where(DeliveryRow.id.in_(list(ids)))
    await db.execute(tried.values(tries=DeliveryRow.tries + 1))


async def settle(db: AsyncSession, ids: Collection[str], *, at: float) -> None:
    settled = update(DeliveryRow).where(DeliveryRow.id.in_(list(ids)))
    await db.execute(settled.values(processed_at=at))


async def forget(db: AsyncSession, *, before: float) -> None:
    await db.execute(delete(DeliveryRow).where(DeliveryRow.received_at < before))
