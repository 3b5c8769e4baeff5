"""Solves page by page, newest first, and what their runs come to."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import load_only

from yudai.domain.ids import SolveId
from yudai.domain.run_state import RunState
from yudai.domain.solve_state import SolveState
from yudai.store.tables import RunRow, SolveRow

# Baselines, issues and matrices are long, and a list shows none of them.
_LISTED = load_only(
    SolveRow.id,
    SolveRow.user_id,
    SolveRow.conversation_id,
    SolveRow.repo,
    SolveRow.issue_number,
    SolveRow.issue_title,
    SolveRow.state,
    SolveRow.champion_run_id,
    SolveRow.reason,
    SolveRow.error,
    SolveRow.created_at,
    SolveRow.started_at,
    SolveRow.finished_at,
    SolveRow.deadline_at,
    raiseload=True,
)


class Mark(NamedTuple):
    """The last solve of the page before."""

    created_at: float
    id: str


class Which(NamedTuple):
    user_id: str
    state: SolveState | None = None
    conversation_id: str | None = None


class Tally(NamedTuple):
    states: Counter[RunState]
    cost_micros: int


NOTHING = Tally(Counter(), 0)


async def page(
    db: AsyncSession, which: Which, *, limit: int, after: Mark | None = None
) -> list[SolveRow]:
    query = select(SolveRow).options(_LISTED).where(SolveRow.user_id == which.user_id)
    if which.state is not None:
        query = query.where(SolveRow.state == which.state)
    if which.conversation_id is not None:
        query = query.where(SolveRow.conversation_id == which.conversation_id)
    if after is not None:
        query = query.where(tuple_(SolveRow.created_at, SolveRow.id) < after)
    newest_first = query.order_by(SolveRow.created_at.desc(), SolveRow.id.desc())
    return list(await db.scalars(newest_first.limit(limit)))


async def listed(db: AsyncSession, solve_id: SolveId) -> SolveRow | None:
    """One solve as a page shows it."""
    query = select(SolveRow).options(_LISTED).where(SolveRow.id == solve_id)
    return (await db.scalars(query)).one_or_none()


async def tallies(db: AsyncSession, solve_ids: Sequence[SolveId]) -> dict[SolveId, Tally]:
    """How many runs of each solve are in which state, and what they cost with all attempts."""
    cost = func.sum(RunRow.cost_micros + RunRow.earlier_cost_micros)
    query = (
        select(RunRow.solve_id, RunRow.state, func.count(), cost)
        .where(RunRow.solve_id.in_(solve_ids))
        .group_by(RunRow.solve_id, RunRow.state)
    )
    found: dict[SolveId, Tally] = {}
    for solve_id, state, count, micros in await db.execute(query):
        so_far = found.get(solve_id, NOTHING)
        states = so_far.states + Counter({state: count})
        found[solve_id] = Tally(states, so_far.cost_micros + int(micros))
    return found
