"""Whose turn it is to change a solve: what SQLite's one lock does for free, on PostgreSQL too."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import SolveId
from yudai.solves.tables import SolveRow
from yudai.store.connections import is_sqlite
from yudai.store.database import LOCKS

_HELD = "yudai_held"


async def hold_solve(db: AsyncSession, solve_id: SolveId) -> None:
    """Until our commit nobody else changes this solve, its runs or its timeline.

    Events get their numbers before they are committed. Were two transactions to append at once,
    the later number could be seen first, and a reader who keeps it as a cursor would never see
    the earlier one. Whoever changes runs holds their solve first, so that no two transactions
    wait for each other's runs.
    """
    if is_sqlite(db.get_bind().dialect):
        return
    held: set[SolveId] = db.info.setdefault(_HELD, set())
    if solve_id in held:
        return
    # Not FOR UPDATE: rows that refer to the solve may be inserted meanwhile.
    row = select(SolveRow.id).where(SolveRow.id == solve_id).with_for_update(key_share=True)
    await db.execute(row, execution_options={LOCKS: True})
    held.add(solve_id)
