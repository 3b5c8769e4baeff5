"""From stored facts and answers of people to verdicts and questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from yudai.kit.ids import SolveId
from yudai.runs import examinations
from yudai.solves.domain.matrix import author_of
from yudai.store.store import Store
from yudai.verification.domain.decide import Decision, decide
from yudai.verification.domain.facts import NOT_EXAMINED, Candidate
from yudai.verification.domain.question import PersonAnswer
from yudai.verification.domain.rules import RULES, Rules

__all__ = ["Decider", "Decision", "StoredFacts"]


class Decider(Protocol):
    async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
        """Execute nothing: the same facts and answers give the same decision, on any machine."""
        ...


@dataclass(frozen=True)
class StoredFacts:
    """What verification and cross-examination found, judged by the rules."""

    store: Store
    rules: Rules = RULES

    async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
        async with self.store.read() as db:
            examination = await examinations.of_solve(db, solve_id) or NOT_EXAMINED
            found = await examinations.examined_runs(db, solve_id)
        candidates = [
            Candidate(run.id, run.handle, author_of(run.contestant), examined)
            for run, examined in found
        ]
        return decide(candidates, examination, rules=self.rules, answers=answers)
