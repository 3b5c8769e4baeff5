"""Queries of a run's messages, in mini-SWE-agent's format."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from yudai.kit.ids import RunId
from yudai.runs.domain.trajectory.kinds import Notes, notes_of_all
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.tables import MessageRow, RunRow
from yudai.store.columns import to_json

_PREVIOUS = aliased(MessageRow)
_PREVIOUS_AT = (
    select(_PREVIOUS.at)
    .where(
        _PREVIOUS.run_id == MessageRow.run_id,
        _PREVIOUS.attempt == MessageRow.attempt,
        _PREVIOUS.seq == MessageRow.seq - 1,
    )
    .scalar_subquery()
)
_NEWEST = (
    select(MessageRow.seq)
    .where(MessageRow.run_id == RunRow.id, MessageRow.attempt == RunRow.attempt)
    .order_by(MessageRow.seq.desc())
    .limit(1)
    .scalar_subquery()
)


class Stored(NamedTuple):
    """A message whose body is still JSON text."""

    run_id: RunId
    attempt: int
    seq: int
    step: int
    role: str
    at: float
    body: str
    is_test: bool | None
    """None: not analysed."""
    edit: int | None
    previous_at: float | None
    """Time of the previous message; None for the first."""


class Edit(NamedTuple):
    """A message after which files had changed."""

    seq: int
    number: int
    body: str


class MessageRange(NamedTuple):
    """Messages of one attempt, from after one number up to another."""

    run_id: RunId
    attempt: int
    after: int
    upto: int


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
    """Store messages in the caller's transaction; those of an active run have the writer."""
    stored = list(messages)
    rows = [
        columns_of(run_id, attempt, message, to_json(message.body), notes)
        for message, notes in zip(stored, notes_of_all([one.body for one in stored]), strict=True)
    ]
    if rows:
        await db.execute(insert(MessageRow), rows)


def columns_of(
    run_id: RunId, attempt: int, message: TrajectoryMessage, body: str, notes: Notes
) -> dict[str, object]:
    return {
        "run_id": run_id,
        "attempt": attempt,
        "seq": message.seq,
        "step": message.step,
        "role": message.role,
        "at": message.at,
        "body": body,
        **notes._asdict(),
    }


def newest(db: Connection, run_ids: Sequence[RunId]) -> dict[RunId, int]:
    """The number of the last message of each run's present attempt; -1: it has none."""
    last = func.coalesce(_NEWEST, -1)
    rows = db.execute(select(RunRow.id, last).where(RunRow.id.in_(run_ids)))
    return {run_id: seq for run_id, seq in rows}  # noqa: C416 - dict() does not know rows


def in_ranges(db: Connection, wanted: Sequence[MessageRange]) -> list[Stored]:
    """Messages of all these ranges, in one statement and in any order."""
    ranges = [
        and_(
            MessageRow.run_id == one.run_id,
            MessageRow.attempt == one.attempt,
            MessageRow.seq > one.after,
            MessageRow.seq <= one.upto,
        )
        for one in wanted
    ]
    return [Stored(*row) for row in db.execute(_stored().where(or_(*ranges)))] if ranges else []


async def page_before(
    db: AsyncSession, run_id: RunId, *, before: int | None, limit: int, attempt: int | None = None
) -> list[Stored]:
    """The last messages before that number (None: of all), in order."""
    query = _stored().where(_of_attempt(run_id, attempt))
    if before is not None:
        query = query.where(MessageRow.seq < before)
    rows = await db.execute(query.order_by(MessageRow.seq.desc()).limit(limit))
    return [Stored(*row) for row in reversed(rows.all())]


async def page_after(
    db: AsyncSession, run_id: RunId, *, after: int, limit: int, attempt: int | None = None
) -> list[Stored]:
    query = _stored().where(_of_attempt(run_id, attempt), MessageRow.seq > after)
    return [Stored(*row) for row in await db.execute(query.order_by(MessageRow.seq).limit(limit))]


async def of_steps(
    db: AsyncSession,
    run_id: RunId,
    steps: range,
    *,
    limit: int,
    attempt: int | None = None,
    newest: bool = False,
) -> list[Stored]:
    """The messages of these steps, in order; the first so many, or the newest."""
    within = (MessageRow.step >= steps.start) & (MessageRow.step < steps.stop)
    query = _stored().where(_of_attempt(run_id, attempt), within).limit(limit)
    if not newest:
        return [Stored(*row) for row in await db.execute(query.order_by(MessageRow.seq))]
    rows = (await db.execute(query.order_by(MessageRow.seq.desc()))).all()
    return [Stored(*row) for row in reversed(rows)]


async def last_step(db: AsyncSession, run_id: RunId, *, attempt: int | None = None) -> int:
    """-1: there is none."""
    # Steps grow with their messages: the last message is of the last step.
    query = select(MessageRow.step).where(_of_attempt(run_id, attempt))
    step = await db.scalar(query.order_by(MessageRow.seq.desc()).limit(1))
    return -1 if step is None else step


async def has(db: AsyncSession, run_id: RunId, seq: int, *, attempt: int) -> bool:
    query = select(MessageRow.seq).where(_of_attempt(run_id, attempt), MessageRow.seq == seq)
    return await db.scalar(query) is not None


async def newest_edit(
    db: AsyncSession, run_id: RunId, *, attempt: int, upto: int | None = None
) -> Edit | None:
    """The last edit at or before that number (None: of all)."""
    query = select(MessageRow.seq, MessageRow.edit, MessageRow.body).where(
        _of_attempt(run_id, attempt), MessageRow.edit.is_not(None)
    )
    if upto is not None:
        query = query.where(MessageRow.seq <= upto)
    row = (await db.execute(query.order_by(MessageRow.seq.desc()).limit(1))).first()
    return None if row is None else Edit(row[0], row[1] or 0, row[2])


def _stored() -> Select[RunId, int, int, int, str, float, str, bool | None, int | None, float]:
    return select(
        MessageRow.run_id,
        MessageRow.attempt,
        MessageRow.seq,
        MessageRow.step,
        MessageRow.role,
        MessageRow.at,
        MessageRow.body,
        MessageRow.is_test,
        MessageRow.edit,
        _PREVIOUS_AT,
    )


def _of_attempt(run_id: RunId, attempt: int | None) -> ColumnElement[bool]:
    present = select(RunRow.attempt).where(RunRow.id == run_id).scalar_subquery()
    wanted = present if attempt is None else attempt
    return (MessageRow.run_id == run_id) & (MessageRow.attempt == wanted)


def _to_message(row: MessageRow) -> TrajectoryMessage:
    return TrajectoryMessage(
        seq=row.seq, step=row.step, role=row.role, at=row.at, body=json.loads(row.body)
    )
