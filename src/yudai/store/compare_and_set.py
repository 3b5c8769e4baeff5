"""Finds rows with states, and changes them by compare-and-set."""

from collections.abc import Mapping
from typing import TypeVar

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.store.rows import WorkRow

MIN_ENDING = 4
_LISTED = 10

Row = TypeVar("Row", bound=WorkRow)


async def get_row(
    db: AsyncSession, table: type[Row], identifier: str, *, is_fresh: bool = False
) -> Row:
    """The row as this transaction has read it, unless `fresh`."""
    row = None
    if can_be_id(identifier):
        row = await db.get(table, identifier, populate_existing=is_fresh)
    if row is None:
        raise _not_found(table, identifier)
    return row


async def find_row(db: AsyncSession, table: type[Row], ending: str) -> Row:
    """The row whose id has this unique ending. The start of an id is the time."""
    if len(ending) < MIN_ENDING:
        noun = _noun(table)
        raise RefusedError(f"give at least {MIN_ENDING} characters of the {noun}'s id")
    if not can_be_id(ending):
        raise _not_found(table, ending)
    matches = table.id.endswith(ending.lower(), autoescape=True)
    query = select(table).where(matches).order_by(table.id).limit(_LISTED)
    rows = (await db.scalars(query)).all()
    if len(rows) > 1:
        listed = ", ".join(row.id for row in rows)
        raise RefusedError(f"{ending} fits several, give more of one of: {listed}")
    if not rows:
        raise _not_found(table, ending)
    return rows[0]


async def change_row(
    db: AsyncSession,
    table: type[Row],
    identifier: str,
    changes: Mapping[str, object],
    *,
    expected: str | None = None,
) -> Row:
    """Set columns of one row, only while it is in the expected state if one is given."""
    statement = update(table).where(table.id == identifier).values(**changes, rev=table.rev + 1)
    if expected is not None:
        statement = statement.where(table.state == expected)
    returning = statement.returning(table).execution_options(
        synchronize_session=False, populate_existing=True
    )
    row = (await db.scalars(returning)).one_or_none()
    if row is not None:
        return row
    if expected is None:
        raise _not_found(table, identifier)
    raise ConflictError(
        f"{_noun(table)} {identifier} is not {expected} any more: reload it, then decide"
    )


def can_be_id(text: str) -> bool:
    """Other characters are in no id, and databases refuse some of them."""
    return text.isascii() and text.isprintable()


def _not_found(table: type[WorkRow], identifier: str) -> NotFoundError:
    shown = identifier if can_be_id(identifier) else ascii(identifier)
    return NotFoundError(f"there is no {_noun(table)} {shown}: ", table.__named_by__, " names them")


def _noun(table: type[WorkRow]) -> str:
    return table.__tablename__.removesuffix("s")
