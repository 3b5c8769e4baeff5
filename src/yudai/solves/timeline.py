"""The timeline: events of a solve, in order of their id."""

from collections.abc import Collection

import structlog
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import RunId, SolveId
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.connections import is_sqlite
from yudai.store.database import LOCKS
from yudai.store.rows import Data

log: structlog.stdlib.BoundLogger = structlog.get_logger()


_HELD = "yudai_held"


async def hold_solve(db: AsyncSession, solve_id: SolveId) -> None:
    """Lock the solve: it, its runs and its timeline do not change until the commit.

    Events get their numbers before they are committed. With two transactions at once the later
    number could become visible first, and a reader with that cursor would miss the earlier one.
    Changes of runs lock their solve first, which avoids deadlocks between runs.
    """
    if is_sqlite(db.get_bind().dialect):
        return
    held: set[SolveId] = db.info.setdefault(_HELD, set())
    if solve_id in held:
        return
    # Not FOR UPDATE: other transactions may insert rows that refer to the solve.
    row = select(SolveRow.id).where(SolveRow.id == solve_id).with_for_update(key_share=True)
    await db.execute(row, execution_options={LOCKS: True})
    held.add(solve_id)


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
    """Whether there is an event of this kind."""
    same = (EventRow.solve_id == solve_id) & (EventRow.kind == kind)
    return await db.scalar(select(EventRow.id).where(same).limit(1)) is not None


async def count(db: AsyncSession, solve_id: SolveId, kind: str, *, run_id: RunId | None) -> int:
    """Number of events of this kind, of the solve itself or of one run."""
    same = (EventRow.solve_id == solve_id) & (EventRow.kind == kind)
    of = EventRow.run_id.is_(None) if run_id is None else EventRow.run_id == run_id
    return await db.scalar(select(func.count()).select_from(EventRow).where(same, of)) or 0


async def of_kinds(db: AsyncSession, solve_id: SolveId, kinds: Collection[str]) -> list[EventRow]:
    same = (EventRow.solve_id == solve_id) & EventRow.kind.in_(kinds)
    return list(await db.scalars(select(EventRow).where(same).order_by(EventRow.id)))


async def after(
    db: AsyncSession, solve_id: SolveId, cursor: int = 0, limit: int = 500
) -> list[EventRow]:
    """Events after the cursor, the id of the last one seen.

    None is missed: events of a solve are committed in the order of their ids.
    """
    newer = (EventRow.solve_id == solve_id) & (EventRow.id > cursor)
    return list(await db.scalars(select(EventRow).where(newer).order_by(EventRow.id).limit(limit)))


ANSWERED = "solve.answered"
FETCHED = "base.fetched"
