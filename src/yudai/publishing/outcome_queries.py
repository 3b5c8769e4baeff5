"""Queries of our pull requests that are due for a check, and of their outcomes."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.repository import PullState
from yudai.kit.errors import ConflictError, NotFoundError
from yudai.kit.ids import SolveId
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import timeline as events
from yudai.solves.timeline import hold_solve

_P = PublicationRow


class Due(NamedTuple):
    forge: str
    """Only pull requests at this forge."""
    open_before: float
    """Open ones last checked before then,"""
    ended_before: float
    """merged and closed ones last checked before then,"""
    young: float
    """which ended after that."""
    limit: int = 50


async def due(db: AsyncSession, which: Due) -> list[PublicationRow]:
    """Due pull requests, the longest unchecked first."""
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
    """Our pull request of that number; for any other number, all of the repository."""
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
    """Claim the check; False when another worker did since it was found due."""
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


MAX_ID = 2**63 - 1


async def add(db: AsyncSession, row: OutcomeRow) -> bool:
    """Store an outcome and append to the timeline; False when it is already stored."""
    await hold_solve(db, row.solve_id)
    if await _has(db, row):
        return False
    db.add(row)
    await db.flush()
    await events.append(
        db,
        row.solve_id,
        kind=f"outcome.{row.kind}",
        at=row.seen_at,
        run_id=row.run_id,
        data={"outcome": row.id, "happened_at": row.at, "by": row.by, **row.evidence},
    )
    return True


async def of_solve(db: AsyncSession, solve_id: SolveId) -> list[OutcomeRow]:
    """Outcomes in the order in which they were seen."""
    of = OutcomeRow.solve_id == solve_id
    return list(await db.scalars(select(OutcomeRow).where(of).order_by(OutcomeRow.id)))


async def get(db: AsyncSession, outcome_id: int) -> OutcomeRow:
    row = None
    if 0 < outcome_id <= MAX_ID:
        row = await db.get(OutcomeRow, outcome_id, populate_existing=True)
    if row is None:
        raise NotFoundError(f"there is no outcome {outcome_id}")
    return row


async def answer(db: AsyncSession, row: OutcomeRow, *, is_so: bool, by: str) -> bool:
    """Store a person's answer to a suspicion; False when it has the same answer already."""
    await hold_solve(db, row.solve_id)
    unanswered = (OutcomeRow.id == row.id) & OutcomeRow.confirmed.is_(None)
    statement = update(OutcomeRow).where(unanswered).values(confirmed=is_so, confirmed_by=by)
    returning = statement.returning(OutcomeRow.id).execution_options(synchronize_session=False)
    changed = await db.scalar(returning)
    await db.refresh(row)
    if changed is None and row.confirmed is not is_so:
        raise ConflictError(f"outcome {row.id} already has another answer, which stays")
    return changed is not None


async def _has(db: AsyncSession, row: OutcomeRow) -> bool:
    same = (
        (OutcomeRow.solve_id == row.solve_id)
        & (OutcomeRow.kind == row.kind)
        & (OutcomeRow.key == row.key)
    )
    return await db.scalar(select(OutcomeRow.id).where(same).limit(1)) is not None
