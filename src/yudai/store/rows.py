"""The base class of all rows, and the column types they share."""

from typing import TYPE_CHECKING, Any, ClassVar, cast

from sqlalchemy import BigInteger, Integer, MetaData, String, Table
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass

from yudai.kit.hints import Hint
from yudai.store.connections import insert_new

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


async def insert_row(db: AsyncSession, row: Base) -> bool:
    """Insert a row; False if one with its key exists, which stays unchanged."""
    table = cast("Table", row.__table__)
    columns = {column.name: getattr(row, column.name) for column in table.columns}
    statement = insert_new(table, db.get_bind().dialect).values(columns)
    return (await db.execute(statement.returning(*table.primary_key))).one_or_none() is not None


class WorkRow(Base, kw_only=True):
    """A row with states, changed by compare-and-set and claimed by workers: a solve or a run."""

    __abstract__ = True
    __named_by__: ClassVar[Hint]
    """Name of the rows in messages."""

    if TYPE_CHECKING:
        id: Mapped[Any]
        state: Mapped[Any]
        rev: Mapped[int]
        worker_id: Mapped[WorkerId]
        attempt: Mapped[int]
