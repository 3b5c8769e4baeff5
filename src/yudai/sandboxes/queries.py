"""Queries of remote sandboxes: opened before they are made, renewed by heartbeats, closed."""

from collections.abc import Collection, Iterator
from typing import NamedTuple, cast

from sqlalchemy import ColumnElement, Table, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import WorkerId
from yudai.sandboxes.register import SandboxEntry
from yudai.sandboxes.tables import BuilderRow, InstallationRow, SandboxRow
from yudai.store.connections import insert_new, is_sqlite
from yudai.store.database import LOCKS, instant
from yudai.store.holders import AS_IT_IS, Holder, Seen, has_changed

NOBODY = ""
"""Holds what its process could not remove."""
_THE_ONE = 1
# Databases take so many parameters at once, and more.
_AT_ONCE = 500
_SANDBOXES = cast("Table", SandboxRow.__table__)
_INSTALLATIONS = cast("Table", InstallationRow.__table__)
_OPEN = SandboxRow.closed_at.is_(None)


class Kept(NamedTuple):
    """An open row, with ages by the clock that wrote its times."""

    row: SandboxRow
    age_s: float
    seen: Seen


def seen(row: SandboxRow | BuilderRow, silent_s: float) -> Seen:
    return Seen(Holder(WorkerId(row.holder), row.host, row.pid), row.beat_at, silent_s)


async def installation(db: AsyncSession) -> str | None:
    return await db.scalar(select(InstallationRow.name).where(InstallationRow.id == _THE_ONE))


async def name_installation(db: AsyncSession, name: str) -> None:
    """The first name stays."""
    statement = insert_new(_INSTALLATIONS, db.get_bind().dialect)
    await db.execute(statement.values(id=_THE_ONE, name=name))


async def open_sandbox(
    db: AsyncSession, entry: SandboxEntry, holder: Holder, *, now: float
) -> None:
    """The second time it changes nothing: a lost answer may be asked for again."""
    time = instant(db, now)
    statement = insert_new(_SANDBOXES, db.get_bind().dialect).values(
        id=entry.id,
        backend=entry.backend,
        external=entry.external,
        owner=entry.owner,
        base=entry.base,
        tags=entry.tags,
        holder=holder.id,
        host=holder.host,
        pid=holder.pid,
        created_at=time,
        beat_at=time,
        reaped=False,
    )
    await db.execute(statement)


async def hold_places(db: AsyncSession) -> None:
    """Lock until our commit, so that no other process counts open rows; SQLite has one writer."""
    if not is_sqlite(db.get_bind().dialect):
        row = select(InstallationRow.id).where(InstallationRow.id == _THE_ONE).with_for_update()
        await db.execute(row, execution_options={LOCKS: True})


async def name_sandbox(db: AsyncSession, sandbox_id: str, external: str) -> None:
    statement = update(SandboxRow).where(SandboxRow.id == sandbox_id).values(external=external)
    await db.execute(statement, execution_options=AS_IT_IS)


async def close_sandbox(
    db: AsyncSession, sandbox_id: str, now: float, *, reaped: bool = False
) -> bool:
    """False: it was closed before, or never known."""
    statement = update(SandboxRow).where(SandboxRow.id == sandbox_id, _OPEN)
    if await has_changed(db, statement.values(closed_at=instant(db, now), reaped=reaped)):
        return True
    if reaped:
        # Closed by its process, which could not remove it.
        late = update(SandboxRow).where(SandboxRow.id == sandbox_id).values(reaped=True)
        await db.execute(late, execution_options=AS_IT_IS)
    return False


async def let_go(db: AsyncSession, sandbox_id: str) -> bool:
    """Leave it open without a holder; False: it was closed before, or never known."""
    statement = update(SandboxRow).where(SandboxRow.id == sandbox_id, _OPEN)
    return await has_changed(db, statement.values(holder=NOBODY, pid=0, beat_at=0.0))


async def open_sandboxes(db: AsyncSession, backend: str | None = None, *, now: float) -> list[Kept]:
    """Oldest first; None: of all backends."""
    time = instant(db, now)
    query = select(SandboxRow, time - SandboxRow.created_at, time - SandboxRow.beat_at).where(_OPEN)
    if backend is not None:
        query = query.where(SandboxRow.backend == backend)
    rows = await db.execute(query.order_by(SandboxRow.created_at, SandboxRow.id))
    return [Kept(row, max(0.0, age_s), seen(row, silent_s)) for row, age_s, silent_s in rows]


async def backends(db: AsyncSession) -> set[str]:
    """Those that have open ones."""
    query = select(SandboxRow.backend).where(_OPEN)
    return set(await db.scalars(query.distinct()))


async def known(db: AsyncSession, sandbox_ids: Collection[str]) -> set[str]:
    """Which of these were ever opened."""
    found: set[str] = set()
    for some in _portions(sandbox_ids):
        found |= set(await db.scalars(select(SandboxRow.id).where(some)))
    return found


async def beat(db: AsyncSession, holder: Holder, *, now: float) -> None:
    statement = update(SandboxRow).where(SandboxRow.holder == holder.id, _OPEN)
    await db.execute(statement.values(beat_at=instant(db, now)), execution_options=AS_IT_IS)


async def reopen(
    db: AsyncSession, sandbox_ids: Collection[str], holder: Holder, *, now: float
) -> set[str]:
    """Rows of this process that another process has closed, without removing the sandbox."""
    closed_by_others = (
        (SandboxRow.holder == holder.id)
        & SandboxRow.closed_at.is_not(None)
        & SandboxRow.reaped.is_(False)
    )
    found: set[str] = set()
    for some in _portions(sandbox_ids):
        statement = update(SandboxRow).where(some, closed_by_others)
        opening = statement.values(closed_at=None, beat_at=instant(db, now))
        rows = await db.scalars(opening.returning(SandboxRow.id), execution_options=AS_IT_IS)
        found |= set(rows)
    return found


def _portions(sandbox_ids: Collection[str]) -> Iterator[ColumnElement[bool]]:
    asked = sorted(sandbox_ids)
    for start in range(0, len(asked), _AT_ONCE):
        yield SandboxRow.id.in_(asked[start : start + _AT_ONCE])
