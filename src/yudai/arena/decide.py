"""From stored facts and answers of people to verdicts and questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs import queries as runs
from yudai.store.store import Store
from yudai.verification.domain.question import PersonAnswer, Question
from yudai.verification.domain.verdict import Verdict


class Decision(Value):
    verdicts: dict[RunId, Verdict]
    questions: tuple[Question, ...] = ()
    """Those without an answer; they are asked only when there is no champion."""


class Decider(Protocol):
    async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
        """Execute nothing: the same facts and answers give the same decision, on any machine."""
        ...


@dataclass(frozen=True)
class StoredVerdicts:
    """The verdicts of the verification and the cross-examination, without questions."""

    store: Store

    async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
        del answers
        async with self.store.read() as db:
            rows = await runs.of_solve(db, solve_id)
        return Decision(verdicts={row.id: row.verdict for row in rows if row.verdict is not None})
