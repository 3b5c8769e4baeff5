"""The table of workers and its queries: which are alive, and which one takes over from a dead one.

On PostgreSQL ages are measured by the database's clock, because machines do not agree on the time.
All users of a SQLite file are on one machine, so `now` is its time.
"""

from collections.abc import Iterable
from typing import cast

from sqlalchemy import ColumnElement, Double, Table, delete, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from yudai.kit.ids import WorkerId
from yudai.store.columns import CleanText
from yudai.store.connections import insert_new, is_sqlite, upsert
from yudai.store.database import instant
from yudai.store.holders import Holder, Seen, has_changed
from yudai.store.postgresql import session_name
from yudai.store.rows import Base, Data, Id


class WorkerRow(Base, kw_only=True):
    """The lease of a process that runs flows: alive while it is renewed."""

    __tablename__ = "workers"

    id: Mapped[WorkerId] = mapped_column(Id, primary_key=True)
    host: Mapped[str] = mapped_column(CleanText)
    pid: Mapped[int]
    durable: Mapped[bool]
    """Its flows can be taken over."""
    started_at: Mapped[float] = mapped_column(Double)
    beat_at: Mapped[float] = mapped_column(Double, index=True)
    """On PostgreSQL by the database's clock: machines do not agree on the time."""
    adopted_by: Mapped[WorkerId | None] = mapped_column(Id, default=None)
    adopted_at: Mapped[float | None] = mapped_column(Double, default=None)


DEAD_S = 10.0
"""A worker without a heartbeat for this long counts as dead."""
_STOPPED = 0.0
_WORKERS = cast("Table", WorkerRow.__table__)


async def enrol(db: AsyncSession, holder: Holder, *, now: float) -> None:
    times = {"started_at": instant(db, now), "beat_at": instant(db, now)}
    await db.execute(insert(WorkerRow).values(**holder._asdict(), **times))


async def beat(db: AsyncSession, worker_id: WorkerId, *, now: float) -> bool:
    """Renew the lease; False when another worker has taken over."""
    statement = update(WorkerRow).where(WorkerRow.id == worker_id, WorkerRow.adopted_by.is_(None))
    return await has_changed(db, statement.values(beat_at=instant(db, now)))


async def stop(db: AsyncSession, holder: Holder) -> None:
    """Mark a worker as stopped, so that another one takes over at once.

    Its row is written again if it was removed: work may have started since.
    """
    await db.execute(upsert(_WORKERS, db.get_bind().dialect), [_stopped(holder)])


async def note_unknown(db: AsyncSession, workers: Iterable[WorkerId]) -> None:
    """Add unknown executors with pending work as stopped workers, so that they are taken over."""
    rows = [_stopped(Holder(worker_id, "", 0, durable=True)) for worker_id in workers]
    if rows:
        await db.execute(insert_new(_WORKERS, db.get_bind().dialect), rows)


async def peers(db: AsyncSession, worker_id: WorkerId, *, now: float) -> list[Seen]:
    """All other workers, also those that are being taken over."""
    silent_s = instant(db, now) - WorkerRow.beat_at
    query = select(WorkerRow, silent_s).where(WorkerRow.id != worker_id).order_by(WorkerRow.id)
    return [
        Seen(Holder(row.id, row.host, row.pid, row.durable), row.beat_at, seconds)
        for row, seconds in await db.execute(query)
    ]


async def adopt(
    db: AsyncSession, peer: Seen, by: WorkerId, *, now: float, dead_s: float = DEAD_S
) -> bool:
    """Claim the takeover of a dead worker; False when it is alive or another worker has the claim.

    A claim that was not renewed for `dead_s` has expired.
    """
    time = instant(db, now)
    is_free = or_(
        WorkerRow.adopted_by.is_(None),
        WorkerRow.adopted_by == by,
        WorkerRow.adopted_at <= time - dead_s,
    )
    statement = update(WorkerRow).where(_as_seen(peer), is_free)
    return await has_changed(db, statement.values(adopted_by=by, adopted_at=time))


async def cut_off(db: AsyncSession, worker_id: WorkerId) -> int:
    """End the database connections of a silent worker: a frozen one may hold locks.

    Not of a stopped worker: the same process may continue under another id.
    """
    row = await db.get(WorkerRow, worker_id, populate_existing=True)
    if row is None or row.beat_at == _STOPPED or is_sqlite(db.get_bind().dialect):
        return 0
    ended = text(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE application_name = :name AND datname = current_database()"
        " AND pid <> pg_backend_pid()"
    )
    found = await db.scalar(ended, {"name": session_name(row.host, row.pid)})
    return found or 0


async def continue_adopting(db: AsyncSession, by: WorkerId, *, now: float) -> None:
    """Renew this worker's claims on takeovers."""
    statement = update(WorkerRow).where(WorkerRow.adopted_by == by)
    await has_changed(db, statement.values(adopted_at=instant(db, now)))


async def remove_adopted(db: AsyncSession, worker_id: WorkerId, by: WorkerId) -> bool:
    statement = delete(WorkerRow).where(WorkerRow.id == worker_id, WorkerRow.adopted_by == by)
    return await has_changed(db, statement)


async def remove_dead(db: AsyncSession, peer: Seen) -> bool:
    """Remove a dead worker whose flows cannot be taken over; False when it is alive."""
    return await has_changed(db, delete(WorkerRow).where(_as_seen(peer)))


async def remove(db: AsyncSession, worker_id: WorkerId) -> None:
    await has_changed(db, delete(WorkerRow).where(WorkerRow.id == worker_id))


def _stopped(holder: Holder) -> Data:
    times = {"started_at": _STOPPED, "beat_at": _STOPPED, "adopted_by": None, "adopted_at": None}
    return {**holder._asdict(), **times}


def _as_seen(peer: Seen) -> ColumnElement[bool]:
    return (WorkerRow.id == peer.holder.id) & (WorkerRow.beat_at == peer.beat_at)
