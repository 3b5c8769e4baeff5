"""Queries of remote sandboxes, of the bases that providers keep, and of leases to build those.

A sandbox's row is opened before the sandbox is made, renewed by heartbeats, and closed.
"""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import WorkerId
from yudai.kit.value import from_attributes
from yudai.sandboxes.register import BaseEntry, SandboxEntry
from yudai.sandboxes.tables import BaseRow, BuilderRow, InstallationRow, SandboxRow
from yudai.store.connections import insert_new, is_sqlite, upsert
from yudai.store.database import LOCKS, instant
from yudai.store.holders import AS_IT_IS, Holder, Seen, has_changed

NO_HOLDER = ""
"""Holder of sandboxes that their process could not remove."""
_THE_ONE = 1
# Databases take so many parameters at once, and more.
_AT_ONCE = 500
MAX_LOG = 1_000_000
"""Bytes of set-up output that are stored; above it, the start and the end."""
_BASES = cast("Table", BaseRow.__table__)
_BUILDERS = cast("Table", BuilderRow.__table__)
_SANDBOXES = cast("Table", SandboxRow.__table__)
_INSTALLATIONS = cast("Table", InstallationRow.__table__)
_OPEN = SandboxRow.closed_at.is_(None)


class Kept(NamedTuple):
    """An open row. Ages use the clock that wrote its times."""

    row: SandboxRow
    age_s: float
    seen: Seen


def seen(row: SandboxRow | BuilderRow, silent_s: float) -> Seen:
    return Seen(Holder(WorkerId(row.holder), row.host, row.pid), row.beat_at, silent_s)


async def installation(db: AsyncSession) -> str | None:
    return await db.scalar(select(InstallationRow.name).where(InstallationRow.id == _THE_ONE))


async def name_installation(db: AsyncSession, name: str) -> None:
    """Store the id of the installation, unless there is one."""
    statement = insert_new(_INSTALLATIONS, db.get_bind().dialect)
    await db.execute(statement.values(id=_THE_ONE, name=name))


async def open_sandbox(
    db: AsyncSession, entry: SandboxEntry, holder: Holder, *, now: float
) -> None:
    """Idempotent, because a request with a lost response is repeated."""
    time = instant(db, now)
    statement = insert_new(_SANDBOXES, db.get_bind().dialect).values(
        id=entry.id,
        backend=entry.backend,
        external=entry.external,
        owner=entry.owner,
        base=entry.base,
        tags=entry.tags,
        **_columns(holder),
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
    """Close the row; False if it was closed before or is unknown."""
    statement = update(SandboxRow).where(SandboxRow.id == sandbox_id, _OPEN)
    if await has_changed(db, statement.values(closed_at=instant(db, now), reaped=reaped)):
        return True
    if reaped:
        # Closed by its process, which could not remove it.
        late = update(SandboxRow).where(SandboxRow.id == sandbox_id).values(reaped=True)
        await db.execute(late, execution_options=AS_IT_IS)
    return False


async def let_go(db: AsyncSession, sandbox_id: str) -> bool:
    """Leave the row open without a holder; False if it was closed before or is unknown."""
    statement = update(SandboxRow).where(SandboxRow.id == sandbox_id, _OPEN)
    return await has_changed(db, statement.values(holder=NO_HOLDER, pid=0, beat_at=0.0))


async def open_sandboxes(db: AsyncSession, backend: str | None = None, *, now: float) -> list[Kept]:
    """Oldest first; None: of all backends."""
    time = instant(db, now)
    query = select(SandboxRow, time - SandboxRow.created_at, time - SandboxRow.beat_at).where(_OPEN)
    if backend is not None:
        query = query.where(SandboxRow.backend == backend)
    rows = await db.execute(query.order_by(SandboxRow.created_at, SandboxRow.id))
    return [Kept(row, max(0.0, age_s), seen(row, silent_s)) for row, age_s, silent_s in rows]


async def backends(db: AsyncSession) -> set[str]:
    """Backends that have open sandboxes or bases."""
    opened = select(SandboxRow.backend).where(_OPEN)
    return set(await db.scalars(opened.union(select(BaseRow.backend))))


async def known(db: AsyncSession, sandbox_ids: Collection[str]) -> set[str]:
    """Those ids that were ever opened."""
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


async def find_base(db: AsyncSession, backend: str, key: str) -> BaseEntry | None:
    row = await db.get(BaseRow, (backend, key))
    if row is None:
        return None
    users = await db.scalar(select(_users(backend, key)))
    return from_attributes(BaseEntry, row, users=users or 0)


async def bases(db: AsyncSession, backend: str) -> list[BaseEntry]:
    """Last used first, without the set-up's output."""
    columns = (BaseRow.key, BaseRow.external, BaseRow.size_bytes, BaseRow.made_at, BaseRow.used_at)
    users = _users(BaseRow.backend, BaseRow.key).label("users")
    query = select(*columns, users).where(BaseRow.backend == backend)
    rows = await db.execute(query.order_by(BaseRow.used_at.desc(), BaseRow.key))
    return [BaseEntry(backend=backend, **row) for row in rows.mappings()]


async def keep_base(db: AsyncSession, entry: BaseEntry, *, now: float) -> None:
    """Replaces an earlier base with this key."""
    time = instant(db, now)
    statement = upsert(_BASES, db.get_bind().dialect).values(
        backend=entry.backend,
        key=entry.key,
        external=entry.external,
        size_bytes=entry.size_bytes,
        made_at=time,
        used_at=time,
        setup_log=shortened(entry.setup_log),
    )
    await db.execute(statement)


async def rename_base(db: AsyncSession, backend: str, key: str, external: str) -> None:
    same = (BaseRow.backend == backend) & (BaseRow.key == key)
    statement = update(BaseRow).where(same).values(external=external)
    await db.execute(statement, execution_options=AS_IT_IS)


async def use_base(db: AsyncSession, backend: str, key: str, *, now: float) -> None:
    statement = update(BaseRow).where(BaseRow.backend == backend, BaseRow.key == key)
    await db.execute(statement.values(used_at=instant(db, now)), execution_options=AS_IT_IS)


async def forget_base(db: AsyncSession, backend: str, key: str, external: str) -> bool:
    """Delete the base; False if it is gone or was replaced."""
    same = (BaseRow.backend == backend) & (BaseRow.key == key)
    statement = delete(BaseRow).where(same, BaseRow.external == external)
    return await has_changed(db, statement)


async def builder(db: AsyncSession, backend: str, key: str, *, now: float) -> Seen | None:
    """None: no process holds the lease."""
    silent_s = instant(db, now) - BuilderRow.beat_at
    found = (
        await db.execute(select(BuilderRow, silent_s).where(_turn(backend, key)))
    ).one_or_none()
    return None if found is None else seen(*found)


async def take_turn(
    db: AsyncSession,
    base: tuple[str, str],
    holder: Holder,
    *,
    now: float,
    instead_of: Seen | None = None,
) -> bool:
    """Take the lease to build it; False if another process was faster or is alive."""
    if instead_of is not None:
        as_seen = (BuilderRow.holder == instead_of.holder.id) & (
            BuilderRow.beat_at == instead_of.beat_at
        )
        await db.execute(
            delete(BuilderRow).where(_turn(*base), as_seen), execution_options=AS_IT_IS
        )
    backend, key = base
    statement = insert_new(_BUILDERS, db.get_bind().dialect).values(
        backend=backend, key=key, **_columns(holder), beat_at=instant(db, now)
    )
    return bool((await db.execute(statement.returning(_BUILDERS.c.key))).all())


async def beat_turn(db: AsyncSession, base: tuple[str, str], holder: Holder, *, now: float) -> bool:
    """Renew the lease; False if another process has it."""
    statement = update(BuilderRow).where(_turn(*base), BuilderRow.holder == holder.id)
    return await has_changed(db, statement.values(beat_at=instant(db, now)))


async def end_turn(db: AsyncSession, base: tuple[str, str], holder: Holder) -> None:
    statement = delete(BuilderRow).where(_turn(*base), BuilderRow.holder == holder.id)
    await db.execute(statement, execution_options=AS_IT_IS)


def shortened(log: bytes) -> bytes:
    if len(log) <= MAX_LOG:
        return log
    mark = b"\n[... %d bytes left out ...]\n" % (len(log) - MAX_LOG)
    half = (MAX_LOG - len(mark)) // 2
    return log[:half] + mark + log[-half:]


def _users(backend: Any, key: Any) -> Any:
    """Number of sandboxes that use it."""
    stands = (SandboxRow.backend == backend) & (SandboxRow.base == key)
    query = select(func.count()).where(stands, SandboxRow.closed_at.is_(None))
    return query.correlate(BaseRow).scalar_subquery()


def _turn(backend: str, key: str) -> ColumnElement[bool]:
    return (BuilderRow.backend == backend) & (BuilderRow.key == key)


def _columns(holder: Holder) -> dict[str, object]:
    return {"holder": holder.id, "host": holder.host, "pid": holder.pid}
