"""Which pull requests of ours are to be looked at, and what was seen of them."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.repository import PullState
from yudai.kit.ids import SolveId
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.tables import OutcomeRow, PublicationRow

_P = PublicationRow


class Due(NamedTuple):
    forge: str
    """Only what is at this one."""
    open_before: float
    """Open ones that were looked at last before then,"""
    ended_before: float
    """merged and closed ones before then,"""
    young: float
    """which ended after that."""
    limit: int = 50


async def due(db: AsyncSession, which: Due) -> list[PublicationRow]:
    """The longest unlooked at first."""
    is_here = _P.repo_url.startswith(f"{which.forge}/", autoescape=True)
    is_due = or_(
        and_(_is_open(), _P.looked_at <= which.open_before),
        and_(_is_young(which.young), _P.looked_at <= which.ended_before),
    )
    query = select(_P).where(_P.pull_number.is_not(None), is_here, is_due)
    return list(await db.scalars(query.order_by(_P.looked_at).limit(which.limit)))


async def at(
    db: AsyncSession, repo_url: str, number: int | None, *, young: float
) -> list[PublicationRow]:
    """Ours of that number; another's number, or none, may concern all of the repository."""
    is_there = func.lower(_P.repo_url) == repo_url.lower()
    query = select(_P).where(_P.pull_number.is_not(None), is_there).order_by(_P.looked_at)
    if number is not None:
        ours = list(await db.scalars(query.where(_P.pull_number == number)))
        if ours:
            return ours
    return list(await db.scalars(query.where(or_(_is_open(), _is_young(young)))))


async def is_ours(db: AsyncSession, repo_url: str, number: int) -> bool:
    is_there = func.lower(_P.repo_url) == repo_url.lower()
    query = select(_P.solve_id).where(_P.pull_number == number, is_there).limit(1)
    return await db.scalar(query) is not None


async def take(db: AsyncSession, row: PublicationRow, *, at: float) -> bool:
    """Whether it is ours to look at: nobody else has since it was found due."""
    mine = (_P.solve_id == row.solve_id) & (_P.looked_at == row.looked_at)
    statement = update(_P).where(mine).values(looked_at=at).returning(_P.solve_id)
    return await db.scalar(statement.execution_options(synchronize_session=False)) is not None


async def change(db: AsyncSession, solve_id: SolveId, **columns: object) -> None:
    statement = update(_P).where(_P.solve_id == solve_id).values(**columns)
    await db.execute(statement.execution_options(synchronize_session=False))


def _is_open() -> ColumnElement[bool]:
    return or_(_P.pull_state.is_(None), _P.pull_state == PullState.OPEN)


def _is_young(since: float) -> ColumnElement[bool]:
    ended = (
        select(OutcomeRow.id)
        .where(
            OutcomeRow.solve_id == _P.solve_id,
            OutcomeRow.kind.in_((OutcomeKind.MERGED, OutcomeKind.CLOSED, OutcomeKind.LANDED)),
            OutcomeRow.at > since,
        )
        .exists()
    )
    return and_(_P.pull_state.in_((PullState.MERGED, PullState.CLOSED)), ended)
