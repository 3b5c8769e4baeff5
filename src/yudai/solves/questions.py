"""Queries of questions and their answers."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import SolveId
from yudai.solves.tables import QuestionRow
from yudai.verification.domain.question import PersonAnswer, Question

_Q = QuestionRow
_IS_OPEN = and_(_Q.choice.is_(None), _Q.closed_at.is_(None))
_IN_ORDER = (_Q.asked_at, _Q.position, _Q.id)


async def of_solve(db: AsyncSession, solve_id: SolveId) -> list[QuestionRow]:
    """Open and answered ones; those that were closed without an answer are left out."""
    is_shown = or_(_Q.choice.is_not(None), _Q.closed_at.is_(None))
    return list(await _found(db, solve_id, is_shown))


async def all_of_solve(db: AsyncSession, solve_id: SolveId) -> list[QuestionRow]:
    return list(await _found(db, solve_id))


async def answers(db: AsyncSession, solve_id: SolveId) -> tuple[PersonAnswer, ...]:
    rows = await _found(db, solve_id, _Q.choice.is_not(None))
    return tuple(PersonAnswer(key=row.key, choice=row.choice or "") for row in rows)


async def ask(
    db: AsyncSession,
    solve_id: SolveId,
    questions: Sequence[Question],
    *,
    at: float,
    new_id: Callable[[], str],
) -> None:
    """Make these the open questions. The caller holds the solve."""
    known = {row.key: row for row in await all_of_solve(db, solve_id)}
    await close(db, solve_id, at=at, but=[question.key for question in questions])
    for position, question in enumerate(questions):
        facts: dict[str, Any] = {name: getattr(question, name) for name in _FACTS}
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


async def answer(db: AsyncSession, row: QuestionRow, choice: str, *, by: str, at: float) -> None:
    columns = {"choice": choice, "answered_by": by, "answered_at": at}
    await db.execute(update(_Q).where(_Q.id == row.id).values(**columns))


async def close(db: AsyncSession, solve_id: SolveId, *, at: float, but: Sequence[str] = ()) -> None:
    """Close the open questions of a solve: they no longer need an answer."""
    left = and_(_Q.solve_id == solve_id, _IS_OPEN, _Q.key.not_in(list(but)))
    await db.execute(update(_Q).where(left).values(closed_at=at))


_FACTS = ("kind", "text", "choices", "runs", "detail")


async def _found(
    db: AsyncSession, solve_id: SolveId, *conditions: ColumnElement[bool]
) -> Sequence[QuestionRow]:
    query = select(_Q).where(_Q.solve_id == solve_id, *conditions).order_by(*_IN_ORDER)
    # Rows are changed by statements: what this transaction has read before may be old.
    found = await db.scalars(query.execution_options(populate_existing=True))
    return found.all()
