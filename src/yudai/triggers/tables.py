"""Tables of triggers, webhook deliveries, and watched repositories."""

from sqlalchemy import BigInteger, Double, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from yudai.kit.ids import SolveId
from yudai.store.columns import CleanText
from yudai.store.rows import Base, Id, Url


class TriggerRow(Base, kw_only=True):
    """A label or comment at the forge that requested a solve; each is recorded once."""

    __tablename__ = "triggers"

    key: Mapped[str] = mapped_column(String(300), primary_key=True)
    """`owner/name` and the forge's number of the comment or labelling."""
    repo_url: Mapped[str] = mapped_column(Url)
    issue_number: Mapped[int] = mapped_column(BigInteger)
    login: Mapped[str] = mapped_column(CleanText)
    state: Mapped[str] = mapped_column(Id)
    """opened, ignored (no right to ask), refused (could not be understood or started)"""
    note: Mapped[str] = mapped_column(CleanText, default="")
    solve_id: Mapped[SolveId | None] = mapped_column(Id, default=None)
    at: Mapped[float] = mapped_column(Double)


class DeliveryRow(Base, kw_only=True):
    """A webhook's hint: what may have changed; the forge is asked what is true."""

    __tablename__ = "deliveries"
    __table_args__ = (Index(None, "processed_at", "received_at"), UniqueConstraint("body_sha256"))

    id: Mapped[str] = mapped_column(String(100), primary_key=True)
    body_sha256: Mapped[str] = mapped_column(String(64))
    event: Mapped[str] = mapped_column(CleanText)
    repo: Mapped[str] = mapped_column(CleanText, default="")
    number: Mapped[int | None] = mapped_column(BigInteger, default=None)
    received_at: Mapped[float] = mapped_column(Double)
    processed_at: Mapped[float | None] = mapped_column(Double, default=None)
    tries: Mapped[int] = mapped_column(default=0)


class WatchRow(Base, kw_only=True):
    """A polled repository and the position up to which it was read."""

    __tablename__ = "watches"

    repo_url: Mapped[str] = mapped_column(Url, primary_key=True)
    comments_since: Mapped[float] = mapped_column(Double)
    issues_since: Mapped[float] = mapped_column(Double)
    history_since: Mapped[float] = mapped_column(Double)
    looked_at: Mapped[float] = mapped_column(Double, default=0.0)
    error: Mapped[str] = mapped_column(CleanText, default="")
