"""Tables of remote sandboxes, of the bases they use, and of leases to build those."""

from sqlalchemy import BigInteger, Double, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from yudai.sandboxes.port import Tags
from yudai.store.columns import CleanText, ValueJson
from yudai.store.rows import Base, Id

Key = String(500)


class InstallationRow(Base, kw_only=True):
    """One row: the id of the installation that uses this database."""

    __tablename__ = "installations"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(Id)


class SandboxRow(Base, kw_only=True):
    """A sandbox at a provider. Its row is written before it exists and stays afterwards."""

    __tablename__ = "sandboxes"
    __table_args__ = (Index(None, "backend", "closed_at"), Index(None, "holder", "closed_at"))

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    backend: Mapped[str] = mapped_column(Id)
    external: Mapped[str] = mapped_column(CleanText, default="")
    """The provider's name of it; "" until it has answered."""
    owner: Mapped[str] = mapped_column(CleanText)
    base: Mapped[str] = mapped_column(CleanText, default="")
    tags: Mapped[Tags] = mapped_column(ValueJson(Tags), default=Tags())
    holder: Mapped[str] = mapped_column(Id)
    """Register of the process that requested it, new at each start; "": no holder."""
    host: Mapped[str] = mapped_column(CleanText)
    pid: Mapped[int]
    created_at: Mapped[float] = mapped_column(Double)
    beat_at: Mapped[float] = mapped_column(Double)
    """By the database's clock on PostgreSQL, like all times here, because clocks differ."""
    closed_at: Mapped[float | None] = mapped_column(Double, default=None)
    reaped: Mapped[bool] = mapped_column(default=False)
    """Whether a sweep removed it, not its own process."""


class BaseRow(Base, kw_only=True):
    """A prepared base at a provider."""

    __tablename__ = "bases"

    backend: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    external: Mapped[str] = mapped_column(CleanText)
    size_bytes: Mapped[int | None] = mapped_column(BigInteger, default=None)
    made_at: Mapped[float] = mapped_column(Double)
    used_at: Mapped[float] = mapped_column(Double)
    setup_log: Mapped[bytes] = mapped_column(LargeBinary, default=b"")


class BuilderRow(Base, kw_only=True):
    """The lease to build or remove a base."""

    __tablename__ = "base_builders"

    backend: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    holder: Mapped[str] = mapped_column(Id)
    host: Mapped[str] = mapped_column(CleanText)
    pid: Mapped[int]
    beat_at: Mapped[float] = mapped_column(Double)
