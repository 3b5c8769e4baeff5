"""Queries of solves, and of their questions with the answers."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.issue import Issue
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import SolveId
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.domain import states as solve_state
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import QuestionRow, SolveRow
from yudai.solves.timeline import hold_solve
from yudai.store.compare_and_set import change_row, find_row, get_row
from yudai.store.rows import Data
from yudai.verification.domain.question import PersonAnswer, Question

NEWEST = ("", "latest")
NEWEST_FIRST = (SolveRow.created_at.desc(), SolveRow.id.desc())
_Q = QuestionRow
_IS_OPEN = and_(_Q.choice.is_(None), _Q.closed_at.is_(None))
_IN_ORDER = (_Q.asked_at, _Q.position, _Q.id)
_ASKED_FACTS = ("kind", "text", "choices", "runs", "detail")


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
        await close_questions(db, solve_id, at=at)
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


async def questions(db: AsyncSession, solve_id: SolveId) -> list[QuestionRow]:
    """Open and answered ones; those that were closed without an answer are left out."""
    is_shown = or_(_Q.choice.is_not(None), _Q.closed_at.is_(None))
    return list(await _questions(db, solve_id, is_shown))


async def all_questions(db: AsyncSession, solve_id: SolveId) -> list[QuestionRow]:
    return list(await _questions(db, solve_id))


async def answers(db: AsyncSession, solve_id: SolveId) -> tuple[PersonAnswer, ...]:
    rows = await _questions(db, solve_id, _Q.choice.is_not(None))
    return tuple(PersonAnswer(key=row.key, choice=row.choice or "") for row in rows)


async def ask(
    db: AsyncSession,
    solve_id: SolveId,
    asked: Sequence[Question],
    *,
    at: float,
    new_id: Callable[[], str],
) -> None:
    """Make these the open questions. The caller holds the solve."""
    known = {row.key: row for row in await all_questions(db, solve_id)}
    await close_questions(db, solve_id, at=at, but=[question.key for question in asked])
    for position, question in enumerate(asked):
        facts: dict[str, Any] = {name: getattr(question, name) for name in _ASKED_FACTS}
        facts["position"] = position
        row = known.get(question.key)
        if row is None:
            row = QuestionRow(
                id=new_id(), solve_id=solve_id, key=question.key, asked_at=at, **facts
            )
            db.add(row)
            await db.flush()
            continue
        if row.closed_at is not None:
            facts["asked_at"] = at
        await db.execute(update(_Q).where(_Q.id == row.id).values(**facts, closed_at=None))


async def store_answer(
    db: AsyncSession, row: QuestionRow, choice: str, *, by: str, at: float
) -> None:
    columns = {"choice": choice, "answered_by": by, "answered_at": at}
    await db.execute(update(_Q).where(_Q.id == row.id).values(**columns))


async def close_questions(
    db: AsyncSession, solve_id: SolveId, *, at: float, but: Sequence[str] = ()
) -> None:
    """Close the open questions of a solve: they no longer need an answer."""
    left = and_(_Q.solve_id == solve_id, _IS_OPEN, _Q.key.not_in(list(but)))
    await db.execute(update(_Q).where(left).values(closed_at=at))


async def _questions(
    db: AsyncSession, solve_id: SolveId, *conditions: ColumnElement[bool]
) -> Sequence[QuestionRow]:
    query = select(_Q).where(_Q.solve_id == solve_id, *conditions).order_by(*_IN_ORDER)
    # Rows are changed by statements: what this transaction has read before may be old.
    found = await db.scalars(query.execution_options(populate_existing=True))
    return found.all()
