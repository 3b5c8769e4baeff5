"""Model calls of command agents that were not answered: events of their runs."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.causes import Cause
from yudai.runs.tables import RunRow
from yudai.solves import timeline as events
from yudai.solves.tables import EventRow

CALL_REFUSED = "run.call_refused"


async def note(db: AsyncSession, run: RunRow, cause: Cause, *, at: float) -> None:
    """Once for each place in the trajectory: whoever only repeats a call is not told of again."""
    facts: dict[str, object] = {
        "cause": cause.value,
        "attempt": run.attempt,
        "messages": run.message_count,
    }
    last = await _last(db, run)
    if last is None or last.data != facts:
        await events.append(db, run.solve_id, kind=CALL_REFUSED, at=at, run_id=run.id, data=facts)


async def standing(db: AsyncSession, run: RunRow) -> Cause | None:
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
