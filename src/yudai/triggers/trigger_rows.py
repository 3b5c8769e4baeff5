"""Queries of triggers; each is recorded once."""

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError
from yudai.kit.ids import SolveId
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.rows import insert_row
from yudai.triggers.tables import TriggerRow

_OPEN_STATES = (SolveState.QUEUED, SolveState.RUNNING)


class AlreadyRecordedError(ConflictError):
    """Another process recorded the trigger first: roll back, nothing is left to do."""


async def recorded(db: AsyncSession, keys: Collection[str]) -> frozenset[str]:
    """Which of these keys are recorded."""
    query = select(TriggerRow.key).where(TriggerRow.key.in_(list(keys)))
    return frozenset(await db.scalars(query))


async def add(db: AsyncSession, row: TriggerRow) -> None:
    """Add a trigger; AlreadyRecordedError when it exists. Of two at once the later one fails."""
    if not await insert_row(db, row):
        raise AlreadyRecordedError("this trigger is already recorded")


async def open_solve_of(
    db: AsyncSession, repo_url: str, number: int, *, besides: SolveId | None = None
) -> SolveId | None:
    """An open solve of this issue."""
    query = select(SolveRow.id).where(
        SolveRow.issue_number == number,
        func.lower(SolveRow.repo_url) == repo_url.lower(),
        SolveRow.state.in_(_OPEN_STATES),
    )
    if besides is not None:
        query = query.where(SolveRow.id != besides)
    return await db.scalar(query.order_by(SolveRow.created_at).limit(1))
