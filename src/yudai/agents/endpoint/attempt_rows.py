"""Rows of attempts at the model endpoint: refused calls, and whether the attempt is closed."""

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId
from yudai.runs.spending.holds import endpoint_row
from yudai.runs.tables import EndpointRow, RunRow
from yudai.solves import timeline as events
from yudai.solves.tables import EventRow

CALL_REFUSED = "run.call_refused"


class AttemptState(NamedTuple):
    refused: int = 0
    is_closed: bool = False


async def attempt_state(db: AsyncSession, run_id: RunId, attempt: int) -> AttemptState:
    row = await db.get(EndpointRow, (run_id, attempt), populate_existing=True)
    return AttemptState() if row is None else AttemptState(row.refused, row.closed_at is not None)


async def count_refused(db: AsyncSession, run: RunRow) -> int:
    """One more; how many there are. The run is held."""
    row = await endpoint_row(db, run.id, run.attempt)
    row.refused += 1
    return row.refused


async def close(db: AsyncSession, run_id: RunId, attempt: int, *, at: float) -> None:
    """Accept no more messages of this attempt; the caller holds the run's row."""
    row = await endpoint_row(db, run_id, attempt)
    row.closed_at = row.closed_at or at


async def note_refusal(db: AsyncSession, run: RunRow, cause: Cause, *, at: float) -> None:
    """Once for each place in the trajectory: a repeated call is not recorded again."""
    facts: dict[str, object] = {
        "cause": cause.value,
        "attempt": run.attempt,
        "messages": run.message_count,
    }
    last = await _last(db, run)
    if last is None or last.data != facts:
        await events.append(db, run.solve_id, kind=CALL_REFUSED, at=at, run_id=run.id, data=facts)


async def last_refusal(db: AsyncSession, run: RunRow) -> Cause | None:
    """Why the last call of its present attempt was refused; None when one was answered since."""
    last = await _last(db, run)
    here = {"attempt": run.attempt, "messages": run.message_count}
    if last is None or {key: last.data.get(key) for key in here} != here:
        return None
    return Cause(str(last.data["cause"]))


async def _last(db: AsyncSession, run: RunRow) -> EventRow | None:
    same = (EventRow.solve_id == run.solve_id) & (EventRow.kind == CALL_REFUSED)
    query = select(EventRow).where(same, EventRow.run_id == run.id)
    return await db.scalar(query.order_by(EventRow.id.desc()).limit(1))
