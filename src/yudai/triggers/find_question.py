"""Finds the question that a comment on an issue answers, and the choice."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.decisions.answer import is_open
from yudai.forge.domain.repository import RepoRef
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import short
from yudai.solves.tables import QuestionRow
from yudai.triggers import queries

_MAX_NAME = 80


class ChosenAnswer(NamedTuple):
    question: QuestionRow
    choice: str


async def find_answer(db: AsyncSession, repo: RepoRef, number: int, said: str) -> ChosenAnswer:
    """Among the questions of all solves of the issue; unnamed the only open one.

    Without an open one the newest: its refusal says why it needs no answer.
    """
    rows = await queries.questions_of(db, repo.url, number)
    waiting = [row for row in rows if is_open(row)]
    named, choice = (*said.split(maxsplit=1), "")[:2]
    fitting = [row for row in rows if named.lower() in (row.id, row.key.lower(), short(row.id))]
    if fitting and choice:
        return ChosenAnswer(fitting[0], choice)
    # A choice can be a handle with spaces in it.
    is_choice = any(said == one.id for row in waiting or rows[:1] for one in row.choices)
    if choice and not is_choice:
        raise NotFoundError(f"there is no question {named[:_MAX_NAME]!a}{_listed(waiting)}")
    if len(waiting) > 1:
        raise RefusedError(f"{len(waiting)} questions are open{_listed(waiting)}")
    if not rows:
        raise RefusedError("no solve of this issue asks a question")
    return ChosenAnswer(waiting[0] if waiting else rows[0], said)


def _listed(rows: Sequence[QuestionRow]) -> str:
    names = ", ".join(short(row.id) for row in rows)
    return f": name one of {names}" if names else ""
