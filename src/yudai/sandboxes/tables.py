"""Tables of remote sandboxes, of the bases they use, and of leases to build those."""

from sqlalchemy import BigInteger, Double, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from yudai.sandboxes.port import Tags
from yudai.store.columns import CleanText, ValueJson
from yudai.store.rows import Base, Id

Key = String(500)


class InstallationRow(Base, kw_only=True):
    """One row: the name of everything that shares this database."""

    __tablename__ = "installations"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(Id)


class SandboxRow(Base, kw_only=True):
    """A sandbox at a provider; its row is there before it is, and stays when it is gone."""

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
    """The register of the process that asked for it, new at each start; "" once it let it go."""
    host: Mapped[str] = mapped_column(CleanText)
    pid: Mapped[int]
    created_at: Mapped[float] = mapped_column(Double)
    beat_at: Mapped[float] = mapped_column(Double)
    """By the database's clock on PostgreSQL, as all times here: machines do not agree on it."""
    closed_at: Mapped[float | None] = mapped_column(Double, default=None)
    reaped: Mapped[bool] = mapped_column(default=False)
    """It was a sweep that removed it, not its own process."""


class BaseRow(Base, kw_only=True):
    """A prepared base that a provider keeps for us."""

    __tablename__ = "bases"

    backend: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    external: Mapped[str] = mapped_column(CleanText)
    size_bytes: Mapped[int | None] = mapped_column(BigInteger, default=None)
    made_at: Mapped[float] = mapped_column(Double)
    used_at: Mapped[float] = mapped_column(Double)
    setup_log: Mapped[bytes] = mapped_column(LargeBinary, default=b"")


class BuilderRow(Base, kw_only=True):
    """Whose turn it is to build a base, or to remove it."""

    __tablename__ = "base_builders"

    backend: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    holder: Mapped[str] = mapped_column(Id)
    host: Mapped[str] = mapped_column(CleanText)
    pid: Mapped[int]
    beat_at: Mapped[float] = mapped_column(Double)
