"""Whose something is, and of which repository: all that a right is decided by."""

from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.conversations.tables import ConversationRow
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.runs.tables import RunRow
from yudai.solves.tables import SolveRow


class Belonging(NamedTuple):
    owner_id: str
    repo_url: str
    """"": of a folder, a demonstration or nothing at all."""


async def of_solve(db: AsyncSession, solve_id: SolveId) -> Belonging | None:
    query = select(SolveRow.user_id, SolveRow.repo_url).where(SolveRow.id == solve_id)
    found = (await db.execute(query)).one_or_none()
    return None if found is None else Belonging(*found)


async def of_run(db: AsyncSession, run_id: RunId) -> Belonging | None:
    query = (
        select(SolveRow.user_id, SolveRow.repo_url)
        .join(RunRow, RunRow.solve_id == SolveRow.id)
        .where(RunRow.id == run_id)
    )
    found = (await db.execute(query)).one_or_none()
    return None if found is None else Belonging(*found)


async def of_conversation(
    db: AsyncSession, conversation_id: ConversationId
) -> tuple[Belonging, str] | None:
    """And its folder."""
    row = await db.get(ConversationRow, conversation_id)
    return None if row is None else (Belonging(row.user_id, row.repo_url), row.repo_path)


async def repo_urls(db: AsyncSession, *, limit: int) -> list[str]:
    """Of all solves, last used first."""
    newest = func.max(SolveRow.created_at)
    query = select(SolveRow.repo_url).where(SolveRow.repo_url != "").group_by(SolveRow.repo_url)
    return list(await db.scalars(query.order_by(newest.desc()).limit(limit)))
