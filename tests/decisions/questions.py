"""Questions to ask, and a decider that asks them."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.support.solve_rows import SOLVE, failed, passed, run_id
from yudai.arena.conclude import Concluder, Decision
from yudai.artifacts.context import Context
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.solves import queries as solves
from yudai.solves.tables import QuestionRow, SolveRow
from yudai.verification.domain.question import (
    ACCEPT,
    REJECT,
    PersonAnswer,
    Question,
    QuestionKind,
)
from yudai.verification.domain.verdict import Verdict

EXPECTATION = Question(
    key="expectation:t.py::old",
    kind=QuestionKind.EXPECTATION,
    text="Should t.py::old expect 4 from now on?",
    choices=(ACCEPT, REJECT),
    runs=(run_id(0),),
    detail="expected before: 3\nexpected now: 4",
)
INTERFACE = Question(
    key="interface:total",
    kind=QuestionKind.INTERFACE,
    text="May the new option --total be part of the answer?",
    choices=(ACCEPT, REJECT),
)

Verdicts = Callable[[Sequence[PersonAnswer]], dict[RunId, Verdict]]


def accepted(answers: Sequence[PersonAnswer]) -> dict[RunId, Verdict]:
    """The first run passes once everything is accepted."""
    is_accepted = bool(answers) and all(answer.choice == "accept" for answer in answers)
    return {run_id(0): passed() if is_accepted else failed()}


class AskingDecider:
    """Asks these until each is answered."""

    def __init__(self, *asked: Question, verdicts: Verdicts = accepted) -> None:
        self.asked = asked
        self.verdicts = verdicts
        self.seen: list[tuple[PersonAnswer, ...]] = []

    async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
        assert solve_id == SOLVE
        self.seen.append(tuple(answers))
        known = {answer.key for answer in answers}
        left = tuple(question for question in self.asked if question.key not in known)
        return Decision(verdicts=self.verdicts(answers), questions=left)


async def conclude(context: Context, decider: Any) -> SolveRow:
    await Concluder(context, decider).conclude_here(SOLVE, WorkerId("w"))
    return await solve_row(context)


async def solve_row(context: Context) -> SolveRow:
    async with context.store.read() as db:
        return await solves.get(db, SOLVE)


async def question_rows(context: Context) -> list[QuestionRow]:
    async with context.store.read() as db:
        return await solves.all_questions(db, SOLVE)
