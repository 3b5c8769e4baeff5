"""Queries of prepared bases that providers keep for us, and of the leases to build them."""

from typing import Any, cast

from sqlalchemy import ColumnElement, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.value import from_attributes
from yudai.sandboxes.queries import seen
from yudai.sandboxes.register import BaseEntry
from yudai.sandboxes.tables import BaseRow, BuilderRow, SandboxRow
from yudai.store.connections import insert_new, upsert
from yudai.store.database import instant
from yudai.store.holders import AS_IT_IS, Holder, Seen, has_changed

MAX_LOG = 1_000_000
"""Bytes of what set-up printed; of more, the beginning and the end are kept."""
_BASES = cast("Table", BaseRow.__table__)
_BUILDERS = cast("Table", BuilderRow.__table__)


async def find(db: AsyncSession, backend: str, key: str) -> BaseEntry | None:
    row = await db.get(BaseRow, (backend, key))
    if row is None:
        return None
    users = await db.scalar(select(_users(backend, key)))
    return from_attributes(BaseEntry, row, users=users or 0)


async def in_backend(db: AsyncSession, backend: str) -> list[BaseEntry]:
    """Last used first, without what their set-up printed."""
    columns = (BaseRow.key, BaseRow.external, BaseRow.size_bytes, BaseRow.made_at, BaseRow.used_at)
    users = _users(BaseRow.backend, BaseRow.key).label("users")
    query = select(*columns, users).where(BaseRow.backend == backend)
    rows = await db.execute(query.order_by(BaseRow.used_at.desc(), BaseRow.key))
    return [BaseEntry(backend=backend, **row) for row in rows.mappings()]


async def backends(db: AsyncSession) -> set[str]:
    """Those that keep some."""
    return set(await db.scalars(select(BaseRow.backend).distinct()))


async def keep(db: AsyncSession, entry: BaseEntry, *, now: float) -> None:
    """It takes the place of an earlier one with this key."""
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


async def rename(db: AsyncSession, backend: str, key: str, external: str) -> None:
    same = (BaseRow.backend == backend) & (BaseRow.key == key)
    statement = update(BaseRow).where(same).values(external=external)
    await db.execute(statement, execution_options=AS_IT_IS)


async def use(db: AsyncSession, backend: str, key: str, *, now: float) -> None:
    statement = update(BaseRow).where(BaseRow.backend == backend, BaseRow.key == key)
    await db.execute(statement.values(used_at=instant(db, now)), execution_options=AS_IT_IS)


async def forget(db: AsyncSession, backend: str, key: str, external: str) -> bool:
    """False: it is not there, or another one is by now."""
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
    """Be the one who builds it; False when another one was quicker, or lives after all."""
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
    """False when another process has it by now."""
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
    """How many sandboxes use it now."""
    stands = (SandboxRow.backend == backend) & (SandboxRow.base == key)
    query = select(func.count()).where(stands, SandboxRow.closed_at.is_(None))
    return query.correlate(BaseRow).scalar_subquery()


def _turn(backend: str, key: str) -> ColumnElement[bool]:
    return (BuilderRow.backend == backend) & (BuilderRow.key == key)


def _columns(holder: Holder) -> dict[str, object]:
    return {"holder": holder.id, "host": holder.host, "pid": holder.pid}
