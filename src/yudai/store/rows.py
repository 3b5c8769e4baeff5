"""The base class of all rows, and the column types they share."""

from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Integer, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass

if TYPE_CHECKING:
    from yudai.kit.ids import WorkerId

Id = String(64)
# SQLite numbers rows by itself only for its own INTEGER.
Serial = BigInteger().with_variant(Integer, "sqlite")
Names = tuple[str, ...]
Data = dict[str, object]
Links = dict[str, str]
Url = String(500)


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True, eq=False, repr=False):
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        }
    )


class WorkRow(Base, kw_only=True):
    """A row with states, changed by compare-and-set and claimed by workers: a solve or a run."""

    __abstract__ = True
    __named_by__ = ""
    """The command that names the rows."""

    if TYPE_CHECKING:
        id: Mapped[Any]
        state: Mapped[Any]
        rev: Mapped[int]
        worker_id: Mapped[WorkerId]
        attempt: Mapped[int]
