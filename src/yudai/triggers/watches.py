"""How far each repository at a forge was looked through."""

from typing import cast

from sqlalchemy import Table, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.store.connections import insert_new, is_sqlite
from yudai.store.database import LOCKS
from yudai.triggers.tables import WatchRow

_WATCHES = cast("Table", WatchRow.__table__)
_FROM_THE_BEGINNING = 0.0


async def begin(db: AsyncSession, repo_url: str, *, at: float) -> None:
    """Unless it is watched already: comments and history from now on, labels that are there."""
    columns = {
        "repo_url": repo_url,
        "comments_since": at,
        "issues_since": _FROM_THE_BEGINNING,
        "history_since": at,
        "looked_at": 0.0,
        "error": "",
    }
    await db.execute(insert_new(_WATCHES, db.get_bind().dialect).values(**columns))


async def find(db: AsyncSession, repo_url: str) -> WatchRow | None:
    return await db.get(WatchRow, repo_url)


async def hold(db: AsyncSession, repo_url: str) -> None:
    """Until our commit nobody else opens a solve that this repository asks for."""
    if is_sqlite(db.get_bind().dialect):
        return
    row = select(WatchRow.repo_url).where(WatchRow.repo_url == repo_url).with_for_update()
    await db.execute(row, execution_options={LOCKS: True})


async def claim(db: AsyncSession, repo_url: str, *, at: float, every_s: float) -> WatchRow | None:
    """The right to look at it now; None when somebody else did so a moment ago."""
    due = (WatchRow.repo_url == repo_url) & (WatchRow.looked_at <= at - every_s)
    statement = update(WatchRow).where(due).values(looked_at=at).returning(WatchRow)
    options = {"synchronize_session": False, "populate_existing": True}
    return (await db.scalars(statement, execution_options=options)).one_or_none()


async def change(db: AsyncSession, repo_url: str, **changes: object) -> None:
    await db.execute(update(WatchRow).where(WatchRow.repo_url == repo_url).values(**changes))
