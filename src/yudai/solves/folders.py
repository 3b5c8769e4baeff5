"""Queries of solves by the folder that their patch can go back to."""

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.ports.folder import Snapshot
from yudai.kit.ids import SolveId
from yudai.solves.tables import SolveRow


class FolderSolve(NamedTuple):
    id: SolveId
    snapshot: Snapshot


async def newest_first(db: AsyncSession, *, limit: int = 1000) -> list[FolderSolve]:
    query = select(SolveRow.id, SolveRow.snapshot).where(SolveRow.snapshot.is_not(None))
    rows = await db.execute(
        query.order_by(SolveRow.created_at.desc(), SolveRow.id.desc()).limit(limit)
    )
    return [FolderSolve(row.id, snapshot) for row in rows if (snapshot := row.snapshot)]
