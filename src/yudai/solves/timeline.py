"""The timeline: what happened, in the order of its cursor."""

from collections.abc import Collection

import structlog
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import RunId, SolveId
from yudai.solves.locks import hold_solve
from yudai.solves.tables import EventRow
from yudai.store.rows import Data

log: structlog.stdlib.BoundLogger = structlog.get_logger()


async def append(
    db: AsyncSession,
    solve_id: SolveId,
    *,
    kind: str,
    at: float,
    run_id: RunId | None = None,
    data: Data | None = None,
) -> EventRow:
    await hold_solve(db, solve_id)
    row = EventRow(solve_id=solve_id, run_id=run_id, at=at, kind=kind, data=data or {})
    db.add(row)
    await db.flush()
    log.info(kind, solve_id=solve_id, run_id=run_id, **(data or {}))
    return row


async def has(db: AsyncSession, solve_id: SolveId, kind: str) -> bool:
    """Whether such a thing has happened already."""
    same = (EventRow.solve_id == solve_id) & (EventRow.kind == kind)
    return await db.scalar(select(EventRow.id).where(same).limit(1)) is not None


async def count(db: AsyncSession, solve_id: SolveId, kind: str, *, run_id: RunId | None) -> int:
    """How often such a thing has happened, to the solve itself or to one of its runs."""
    same = (EventRow.solve_id == solve_id) & (EventRow.kind == kind)
    of = EventRow.run_id.is_(None) if run_id is None else EventRow.run_id == run_id
    return await db.scalar(select(func.count()).select_from(EventRow).where(same, of)) or 0


async def of_kinds(db: AsyncSession, solve_id: SolveId, kinds: Collection[str]) -> list[EventRow]:
    same = (EventRow.solve_id == solve_id) & EventRow.kind.in_(kinds)
    return list(await db.scalars(select(EventRow).where(same).order_by(EventRow.id)))


async def after(
    db: AsyncSession, solve_id: SolveId, cursor: int = 0, limit: int = 500
) -> list[EventRow]:
    """Events later than the cursor, which is the id of the last one seen.

    None is ever missed: those of one solve are committed in the order of their ids.
    """
    newer = (EventRow.solve_id == solve_id) & (EventRow.id > cursor)
    return list(await db.scalars(select(EventRow).where(newer).order_by(EventRow.id).limit(limit)))


FETCHED = "base.fetched"
