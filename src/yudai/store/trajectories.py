"""Messages of a run, as mini-SWE-agent wrote them."""

import json
from collections.abc import Iterable

from sqlalchemy import ColumnElement, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.domain.ids import RunId
from yudai.domain.trajectory import TrajectoryMessage
from yudai.store.tables import MessageRow, RunRow
from yudai.store.text import to_json


async def messages(
    db: AsyncSession,
    run_id: RunId,
    *,
    after: int = -1,
    limit: int | None = None,
    attempt: int | None = None,
) -> list[TrajectoryMessage]:
    """Messages later than `after`, of the run's present attempt unless another is named."""
    query = (
        select(MessageRow)
        .where(_of_attempt(run_id, attempt), MessageRow.seq > after)
        .order_by(MessageRow.seq)
        .limit(limit)
    )
    return [_to_message(row) for row in await db.scalars(query)]


async def add_all(
    db: AsyncSession, run_id: RunId, messages: Iterable[TrajectoryMessage], *, attempt: int = 1
) -> None:
    """Store messages in the caller's transaction; those of a run that goes on have a writer."""
    rows = [
        {
            "run_id": run_id,
            "attempt": attempt,
            "body": to_json(message.body),
            **message.model_dump(include={"seq", "step", "role", "at"}),
        }
        for message in messages
    ]
    if rows:
        await db.execute(insert(MessageRow), rows)


async def count(db: AsyncSession, run_id: RunId, *, attempt: int | None = None) -> int:
    query = select(func.count()).select_from(MessageRow).where(_of_attempt(run_id, attempt))
    return (await db.scalars(query)).one()


def _of_attempt(run_id: RunId, attempt: int | None) -> ColumnElement[bool]:
    present = select(RunRow.attempt).where(RunRow.id == run_id).scalar_subquery()
    wanted = present if attempt is None else attempt
    return (MessageRow.run_id == run_id) & (MessageRow.attempt == wanted)


def _to_message(row: MessageRow) -> TrajectoryMessage:
    return TrajectoryMessage(
        seq=row.seq, step=row.step, role=row.role, at=row.at, body=json.loads(row.body)
    )
