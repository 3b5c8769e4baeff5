"""Queries of triggers, of polled repositories, and of webhook deliveries."""

from collections.abc import Collection, Sequence

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError
from yudai.kit.ids import SolveId
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import QuestionRow, SolveRow
from yudai.store.connections import is_sqlite
from yudai.store.database import LOCKS
from yudai.store.rows import insert_row
from yudai.triggers.tables import DeliveryRow, TriggerRow, WatchRow

KEPT_S = 30 * 24 * 3600.0
"""Time for which deliveries are kept."""
_MOST_QUESTIONS = 1000
_OPEN_STATES = (SolveState.QUEUED, SolveState.RUNNING)


class AlreadyRecordedError(ConflictError):
    """Another process recorded the trigger first: roll back, nothing is left to do."""


async def recorded(db: AsyncSession, keys: Collection[str]) -> frozenset[str]:
    query = select(TriggerRow.key).where(TriggerRow.key.in_(list(keys)))
    return frozenset(await db.scalars(query))


async def add_trigger(db: AsyncSession, row: TriggerRow) -> None:
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


async def questions_of(db: AsyncSession, repo_url: str, number: int) -> list[QuestionRow]:
    """Questions of this issue's solves, the newest first."""
    is_its = (SolveRow.issue_number == number) & (func.lower(SolveRow.repo_url) == repo_url.lower())
    query = select(QuestionRow).join(SolveRow, SolveRow.id == QuestionRow.solve_id).where(is_its)
    newest = (QuestionRow.asked_at.desc(), QuestionRow.position, QuestionRow.id)
    return list(await db.scalars(query.order_by(*newest).limit(_MOST_QUESTIONS)))


async def begin_watch(db: AsyncSession, repo_url: str, *, at: float) -> None:
    """Start watching a repository: comments and history from now on, and present labels."""
    row = WatchRow(repo_url=repo_url, comments_since=at, issues_since=0.0, history_since=at)
    await insert_row(db, row)


async def find_watch(db: AsyncSession, repo_url: str) -> WatchRow | None:
    return await db.get(WatchRow, repo_url)


async def hold_watch(db: AsyncSession, repo_url: str) -> None:
    """Lock the repository: no other transaction opens a solve for it until the commit."""
    if is_sqlite(db.get_bind().dialect):
        return
    row = select(WatchRow.repo_url).where(WatchRow.repo_url == repo_url).with_for_update()
    await db.execute(row, execution_options={LOCKS: True})


async def claim_poll(
    db: AsyncSession, repo_url: str, *, at: float, every_s: float
) -> WatchRow | None:
    """Claim a poll; None when another worker has polled it."""
    due = (WatchRow.repo_url == repo_url) & (WatchRow.looked_at <= at - every_s)
    statement = update(WatchRow).where(due).values(looked_at=at).returning(WatchRow)
    options = {"synchronize_session": False, "populate_existing": True}
    return (await db.scalars(statement, execution_options=options)).one_or_none()


async def change_watch(db: AsyncSession, repo_url: str, **changes: object) -> None:
    await db.execute(update(WatchRow).where(WatchRow.repo_url == repo_url).values(**changes))


async def add_delivery(db: AsyncSession, row: DeliveryRow) -> bool:
    """Store a delivery; False when it came before, under this id or another one.

    An unprocessed one that comes again gets new tries.
    """
    if await insert_row(db, row):
        return True
    same = or_(DeliveryRow.id == row.id, DeliveryRow.body_sha256 == row.body_sha256)
    again = update(DeliveryRow).where(same, DeliveryRow.processed_at.is_(None))
    await db.execute(again.values(tries=0))
    return False


async def waiting_deliveries(
    db: AsyncSession, *, most_tries: int, limit: int
) -> Sequence[DeliveryRow]:
    """Unprocessed deliveries with the fewest tries first, then the oldest."""
    query = (
        select(DeliveryRow)
        .where(DeliveryRow.processed_at.is_(None), DeliveryRow.tries < most_tries)
        .order_by(DeliveryRow.tries, DeliveryRow.received_at, DeliveryRow.id)
        .limit(limit)
    )
    return (await db.scalars(query)).all()


async def count_tries(db: AsyncSession, ids: Collection[str]) -> None:
    """Count a try before it starts, so that one that kills its worker is not tried forever."""
    tried = update(DeliveryRow).where(DeliveryRow.id.in_(list(ids)))
    await db.execute(tried.values(tries=DeliveryRow.tries + 1))


async def settle_deliveries(db: AsyncSession, ids: Collection[str], *, at: float) -> None:
    settled = update(DeliveryRow).where(DeliveryRow.id.in_(list(ids)))
    await db.execute(settled.values(processed_at=at))


async def forget_deliveries(db: AsyncSession, *, before: float) -> None:
    await db.execute(delete(DeliveryRow).where(DeliveryRow.received_at < before))
