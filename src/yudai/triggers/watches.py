"""Queries of polled repositories and their positions."""

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.store.connections import is_sqlite
from yudai.store.database import LOCKS
from yudai.store.rows import insert_row
from yudai.triggers.tables import WatchRow

_FROM_THE_BEGINNING = 0.0


async def begin(db: AsyncSession, repo_url: str, *, at: float) -> None:
    """Start watching a repository: comments and history from now on, and present labels."""
    since = _FROM_THE_BEGINNING
    row = WatchRow(repo_url=repo_url, comments_since=at, issues_since=since, history_since=at)
    await insert_row(db, row)


async def find(db: AsyncSession, repo_url: str) -> WatchRow | None:
    return await db.get(WatchRow, repo_url)


async def hold(db: AsyncSession, repo_url: str) -> None:
    """Lock the repository: no other transaction opens a solve for it until the commit."""
    if is_sqlite(db.get_bind().dialect):
        return
    row = select(WatchRow.repo_url).where(WatchRow.repo_url == repo_url).with_for_update()
    await db.execute(row, execution_options={LOCKS: True})


async def claim(db: AsyncSession, repo_url: str, *, at: float, every_s: float) -> WatchRow | None:
    """Claim a poll; None when another worker has polled it."""
    due = (WatchRow.repo_url == repo_url) & (WatchRow.looked_at <= at - every_s)
    statement = update(WatchRow).where(due).values(looked_at=at).returning(WatchRow)
    options = {"synchronize_session": False, "populate_existing": True}
    return (await db.scalars(statement, execution_options=options)).one_or_none()


async def change(db: AsyncSession, repo_url: str, **changes: object) -> None:
    await db.execute(update(WatchRow).where(WatchRow.repo_url == repo_url).values(**changes))
