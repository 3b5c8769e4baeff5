"""The time by which the ages of leases are told: one clock for all machines, where there is one."""

from sqlalchemy import ColumnElement, Double, cast, extract, func, literal
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.store.connections import is_sqlite


def instant(db: AsyncSession, now: float) -> ColumnElement[float]:
    """PostgreSQL's own clock; a SQLite file is of one machine, whose clock says `now`."""
    if is_sqlite(db.get_bind().dialect):
        return literal(now, Double)
    return cast(extract("epoch", func.clock_timestamp()), Double)
