"""Turns for writing at a forge, one after the other over all processes."""

from typing import cast

from sqlalchemy import Double, String, Table, case
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from yudai.store.connections import is_sqlite
from yudai.store.rows import Base


class WriterRow(Base, kw_only=True):
    """Time of the next allowed write at a forge, over all processes."""

    __tablename__ = "writers"

    key: Mapped[str] = mapped_column(String(300), primary_key=True)
    next_at: Mapped[float] = mapped_column(Double)


GAP_S = 1.0
"""Seconds between two writes, as forges demand."""
MAX_KEY = 300
_WRITERS = cast("Table", WriterRow.__table__)


async def reserve(db: AsyncSession, key: str, *, now: float, gap_s: float = GAP_S) -> float:
    """Reserve a turn; returns when this writer may write."""
    dialect = postgresql if not is_sqlite(db.get_bind().dialect) else sqlite
    statement = dialect.insert(_WRITERS).values(key=key[:MAX_KEY], next_at=now + gap_s)
    after_others = _WRITERS.c.next_at + gap_s
    later = case((after_others > now + gap_s, after_others), else_=now + gap_s)
    statement = statement.on_conflict_do_update(
        index_elements=[_WRITERS.c.key], set_={"next_at": later}
    ).returning(_WRITERS.c.next_at)
    return (await db.execute(statement)).scalar_one() - gap_s
