"""Finds the question that a comment on an issue answers."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.decisions.answer import is_open
from yudai.forge.domain.repository import RepoRef
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import short
from yudai.solves.tables import QuestionRow
from yudai.triggers import queries

_MAX_NAME = 80


async def find_question(db: AsyncSession, repo: RepoRef, number: int, named: str) -> QuestionRow:
    """Among the questions of all solves of the issue; unnamed the only open one.

    Without an open one the newest: its refusal says why it needs no answer.
    """
    rows = await queries.questions_of(db, repo.url, number)
    waiting = [row for row in rows if is_open(row)]
    if named:
        fitting = [row for row in rows if named.lower() in (row.id, row.key.lower(), short(row.id))]
        if not fitting:
            raise NotFoundError(f"there is no question {named[:_MAX_NAME]!a}{_listed(waiting)}")
        return fitting[0]
    if len(waiting) > 1:
        raise RefusedError(f"{len(waiting)} questions are open{_listed(waiting)}")
    if not rows:
        raise RefusedError("no solve of this issue asks a question")
    return waiting[0] if waiting else rows[0]


def _listed(rows: Sequence[QuestionRow]) -> str:
    names = ", ".join(short(row.id) for row in rows)
    return f": name one of {names}" if names else ""
