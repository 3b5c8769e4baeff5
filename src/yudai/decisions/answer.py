"""A person's answer to an open question of a solve, which is then concluded again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ConfigDict, Field
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.clock import Clock
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.ids import SolveId, short
from yudai.kit.value import Value
from yudai.solves import idempotency
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.idempotency import IdempotencyKey, KeyTakenError
from yudai.solves.tables import QuestionRow, SolveRow
from yudai.store.compare_and_set import MIN_ENDING
from yudai.store.store import Store

MAX_CHOICE = 300
_WHILE_RUNNING = "question.answered"
_NO_WORKER = ""
Also = Callable[[AsyncSession], Awaitable[None]]


async def nothing_else(_: AsyncSession) -> None:
    """Only the answer is stored."""


class AnswerAsk(Value):
    model_config = ConfigDict(json_schema_extra={"examples": [{"choice": "accept"}]})

    choice: str = Field(
        min_length=1, max_length=MAX_CHOICE, description="Id of one of the question's choices."
    )


class Answer(NamedTuple):
    question: str
    """Its id, the end of its id, or its key; "": the only open one."""
    choice: str
    user_id: str
    """Of the person who answers."""
    login: str = ""

    @property
    def by(self) -> str:
        return self.login or self.user_id


@dataclass(frozen=True)
class Answers:
    store: Store
    clock: Clock
    conclude: Callable[[SolveId, int], Awaitable[object]]
    """Concludes a solve after the n-th answer, or has it concluded. Idempotent."""

    async def give(
        self,
        solve_id: SolveId,
        answer: Answer,
        *,
        owner_id: str,
        key: IdempotencyKey | None = None,
        also: Also = nothing_else,
    ) -> None:
        """Store the answer and conclude the solve again.

        The same answer once more changes nothing. ConflictError for another one, or when the
        question no longer needs one. What else belongs to it is written in the same transaction.
        """
        try:
            turn = await self._store(solve_id, answer, owner_id=owner_id, key=key, also=also)
        except KeyTakenError:
            turn = await self._store(solve_id, answer, owner_id=owner_id, key=key, also=also)
        if turn is not None:
            await self.conclude(solve_id, turn)

    async def _store(
        self,
        solve_id: SolveId,
        answer: Answer,
        *,
        owner_id: str,
        key: IdempotencyKey | None,
        also: Also,
    ) -> int | None:
        """Which conclusion has to follow; None when there is none."""
        now = self.clock.now()
        async with self.store.change() as db:
            solve = await solves.hold(db, solve_id)
            if solve.user_id != owner_id:
                raise NotFoundError(f"there is no solve {solve_id}")
            if await idempotency.find(db, answer.user_id, key) is None:
                row = _pick(solve, await solves.all_questions(db, solve_id), answer.question)
                _check_choice(row, answer.choice)
                if row.choice is None:
                    await _answer(db, solve, row, answer, at=now)
                await idempotency.keep(db, answer.user_id, key, resource_id=row.id, at=now)
                await also(db)
            # Also for a repeated answer: the first one's conclusion may have been lost.
            if (await solves.hold(db, solve_id)).state is not SolveState.RUNNING:
                return None
            return await events.count(db, solve_id, events.ANSWERED, run_id=None)


async def _answer(
    db: AsyncSession, solve: SolveRow, row: QuestionRow, answer: Answer, *, at: float
) -> None:
    name = f"solve {short(solve.id)}"
    if solve.state not in (SolveState.AWAITING_REVIEW, SolveState.RUNNING):
        raise ConflictError(
            f"{name} is {solve.state}: its questions need no answer any more", state=solve.state
        )
    if row.closed_at is not None:
        raise ConflictError(f"this question of {name} needs no answer any more", state=solve.state)
    await solves.store_answer(db, row, answer.choice, by=answer.by, at=at)
    facts: dict[str, object] = {
        "question": row.id,
        "key": row.key,
        "choice": answer.choice,
        "by": answer.by,
    }
    if solve.state is SolveState.RUNNING:
        # Another answer is being followed: that conclusion takes this one into account.
        await events.append(db, solve.id, kind=_WHILE_RUNNING, at=at, data=facts)
        return
    await solves.advance(
        db,
        solve.id,
        SolveEvent.ANSWERED,
        at=at,
        data=facts,
        # What is needed is stored: any worker can conclude it, and no earlier claim counts.
        durable=True,
        worker_id=_NO_WORKER,
        attempt=solve.attempt + 1,
    )


def _pick(solve: SolveRow, rows: Sequence[QuestionRow], named: str) -> QuestionRow:
    name = f"solve {short(solve.id)}"
    if not named:
        return _only(name, rows)
    exact = [row for row in rows if named in (row.id, row.key)]
    ending = named.lower() if len(named) >= MIN_ENDING else None
    found = exact or [row for row in rows if ending and row.id.endswith(ending)]
    if len(found) != 1:
        said = "several questions fit" if found else "there is no question"
        raise NotFoundError(f"{said} {named!a} of {name}{_listed(rows)}", field="question")
    return found[0]


def _only(name: str, rows: Sequence[QuestionRow]) -> QuestionRow:
    waiting = [row for row in rows if is_open(row)]
    if len(waiting) > 1:
        raise RefusedError(
            f"{name} has {len(waiting)} open questions{_listed(rows)}", field="question"
        )
    answered = [row for row in rows if row.choice is not None]
    if not waiting and not answered:
        raise ConflictError(f"{name} asks no question")
    # Without an open one the newest answer: it may be the same one once more.
    return waiting[0] if waiting else max(answered, key=lambda row: row.answered_at or 0.0)


def is_open(row: QuestionRow) -> bool:
    return row.choice is None and row.closed_at is None


def _listed(rows: Sequence[QuestionRow]) -> str:
    names = ", ".join(short(row.id) for row in rows if is_open(row))
    return f": name one of {names}" if names else ""


def _check_choice(row: QuestionRow, choice: str) -> None:
    known = [one.id for one in row.choices]
    if choice not in known:
        raise RefusedError(f"there is no choice {choice!a}: {', '.join(known)}", field="choice")
    if row.choice not in (None, choice):
        raise ConflictError(f"{row.answered_by} has answered this question already: {row.choice}")
