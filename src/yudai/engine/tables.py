"""The table of workers."""

from sqlalchemy import Double
from sqlalchemy.orm import Mapped, mapped_column

from yudai.kit.ids import WorkerId
from yudai.store.columns import CleanText
from yudai.store.rows import Base, Id


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
