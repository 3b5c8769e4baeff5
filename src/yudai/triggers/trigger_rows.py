"""What asked for solves at a forge: each is heard once."""

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError
from yudai.kit.ids import SolveId
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.rows import insert_row
from yudai.triggers.tables import TriggerRow

_GOING_ON = (SolveState.QUEUED, SolveState.RUNNING)


class HeardError(ConflictError):
    """Somebody else has heard it a moment before: roll back, there is nothing left to do."""


async def heard(db: AsyncSession, keys: Collection[str]) -> frozenset[str]:
    """Which of them are known already."""
    query = select(TriggerRow.key).where(TriggerRow.key.in_(list(keys)))
    return frozenset(await db.scalars(query))


async def add(db: AsyncSession, row: TriggerRow) -> None:
    """HeardError when it is there already; the later one of two at once is refused."""
    if not await insert_row(db, row):
        raise HeardError("it was heard already")


async def going_on(
    db: AsyncSession, repo_url: str, number: int, *, besides: SolveId | None = None
) -> SolveId | None:
    """A solve of this issue that has not come to its end."""
    query = select(SolveRow.id).where(
        SolveRow.issue_number == number,
        func.lower(SolveRow.repo_url) == repo_url.lower(),
        SolveRow.state.in_(_GOING_ON),
    )
    if besides is not None:
        query = query.where(SolveRow.id != besides)
    return await db.scalar(query.order_by(SolveRow.created_at).limit(1))
