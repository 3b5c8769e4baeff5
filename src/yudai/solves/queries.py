"""Queries of solves."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.issue import Issue
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import SolveId
from yudai.solves import questions
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.domain import states as solve_state
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.solves.timeline import hold_solve
from yudai.store.compare_and_set import change_row, find_row, get_row
from yudai.store.rows import Data

NEWEST = ("", "latest")
NEWEST_FIRST = (SolveRow.created_at.desc(), SolveRow.id.desc())


async def add(db: AsyncSession, row: SolveRow) -> SolveRow:
    db.add(row)
    await db.flush()
    return row


async def get(db: AsyncSession, solve_id: SolveId) -> SolveRow:
    return await get_row(db, SolveRow, solve_id)


async def hold(db: AsyncSession, solve_id: SolveId) -> SolveRow:
    """Lock the solve and re-read it: it and its runs do not change until the commit."""
    await hold_solve(db, solve_id)
    return await get_row(db, SolveRow, solve_id, is_fresh=True)


async def find(db: AsyncSession, ending: str) -> SolveRow:
    """A solve by its id or a unique ending of it; "" and "latest" mean the newest."""
    if ending not in NEWEST:
        return await find_row(db, SolveRow, ending)
    newest = await recent(db, limit=1)
    if not newest:
        raise NotFoundError("there are no solves yet: `yudai demo` starts one")
    return newest[0]


async def recent(db: AsyncSession, *, limit: int, before: SolveId | None = None) -> list[SolveRow]:
    """Newest first; `before` is the last one of the page already seen."""
    query = select(SolveRow).order_by(*NEWEST_FIRST).limit(limit)
    if before is not None:
        seen = await get(db, before)
        query = query.where(tuple_(SolveRow.created_at, SolveRow.id) < (seen.created_at, seen.id))
    return list(await db.scalars(query))


async def in_states(db: AsyncSession, states: Sequence[SolveState]) -> list[SolveRow]:
    return list(await db.scalars(select(SolveRow).where(SolveRow.state.in_(states))))


async def advance(
    db: AsyncSession,
    solve_id: SolveId,
    event: SolveEvent,
    *,
    at: float,
    data: Data | None = None,
    claim: Claim | None = None,
    **changes: object,
) -> SolveRow:
    """Move to the event's next state, set other columns and append to the timeline.

    ClaimLostError when the claim was lost.
    """
    row = await hold(db, solve_id)
    if claim:
        claim.check(row)
    was = row.state
    state = solve_state.advance(was, event)
    columns = {"state": state, **_stamps(row, state, at), **changes}
    changed = await change_row(db, SolveRow, solve_id, columns, expected=was)
    if state in solve_state.FINAL:
        await questions.close(db, solve_id, at=at)
    facts = {"from": was, "to": state, **(data or {})}
    await events.append(db, solve_id, kind=f"solve.{event}", at=at, data=facts)
    return changed


async def change(db: AsyncSession, solve_id: SolveId, **changes: object) -> SolveRow:
    """Set columns without a change of state."""
    if "state" in changes:
        raise ValueError("a state changes through advance()")
    return await change_row(db, SolveRow, solve_id, changes)


def _stamps(row: SolveRow, state: SolveState, at: float) -> dict[str, object]:
    if state is SolveState.RUNNING:
        # Not again after an answer: a person's time is no part of it.
        return {"started_at": at} if row.started_at is None else {}
    is_at_rest = state in solve_state.RESTING and row.finished_at is None
    return {"finished_at": at} if is_at_rest else {}


def issue_of(solve: SolveRow) -> Issue:
    return Issue(title=solve.issue_title, body=solve.issue_body, number=solve.issue_number)


def elapsed_s(solve: SolveRow, *, now: float) -> float:
    if solve.started_at is None:
        return 0.0
    return (solve.finished_at or now) - solve.started_at


class FolderSolve(NamedTuple):
    id: SolveId
    snapshot: Snapshot


async def newest_first(db: AsyncSession, *, limit: int = 1000) -> list[FolderSolve]:
    query = select(SolveRow.id, SolveRow.snapshot).where(SolveRow.snapshot.is_not(None))
    rows = await db.execute(
        query.order_by(SolveRow.created_at.desc(), SolveRow.id.desc()).limit(limit)
    )
    return [FolderSolve(row.id, snapshot) for row in rows if (snapshot := row.snapshot)]
