"""Concludes a solve: decides, ranks, then offers a champion, asks a person, or abstains."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import structlog

from yudai.artifacts.context import Context
from yudai.kit.errors import ClaimLostError
from yudai.kit.ids import SolveId, WorkerId
from yudai.kit.text import line
from yudai.ranking.domain.scorecard import Ranking
from yudai.ranking.rank import rank_runs, stopped_by
from yudai.runs import attempts
from yudai.runs import queries as runs
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim, claim_of
from yudai.solves.domain.matrix import author_of
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.store.rows import Data
from yudai.store.store import Store
from yudai.verification.domain.decide import Decision, decide
from yudai.verification.domain.facts import NOT_EXAMINED, Candidate
from yudai.verification.domain.question import PersonAnswer, Question
from yudai.verification.domain.rules import RULES, Rules
from yudai.verification.domain.sources.issue_text import nearest_passage

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MAX_TEXT = 300


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
            examination = await runs.examination_of(db, solve_id) or NOT_EXAMINED
            found = await runs.examined_runs(db, solve_id)
            solve = await solves.get(db, solve_id)
        candidates = [
            Candidate(run.id, run.handle, author_of(run.contestant), examined)
            for run, examined in found
        ]
        decision = decide(candidates, examination, rules=self.rules, answers=answers)
        issue = f"{solve.issue_title}\n{solve.issue_body}"
        asked = tuple(_with_issue(question, issue) for question in decision.questions)
        return decision._replace(questions=asked)


def _with_issue(question: Question, issue: str) -> Question:
    """With the issue's own words: a person has to judge by them."""
    passage = nearest_passage(issue, f"{question.text}\n{question.detail}")
    detail = "\n\n".join(part for part in (question.detail, f"The issue says: {passage}") if part)
    return question.model_copy(update={"detail": detail})


@dataclass(frozen=True)
class Concluder:
    """Executes nothing, so that it can be repeated after each answer, in any process."""

    context: Context
    decider: Decider

    async def conclude(self, solve_id: SolveId, claim: Claim) -> None:
        """Decide again for as long as people answer meanwhile."""
        is_over = False
        while not is_over:
            async with self.context.store.read() as db:
                answers = await solves.answers(db, solve_id)
            decision = await self.decider.decide(solve_id, answers)
            ranking = await rank_runs(self.context.store, solve_id, claim, decision)
            is_over = await self._end(solve_id, ranking, claim, known=answers)

    async def conclude_here(self, solve_id: SolveId, worker_id: WorkerId) -> None:
        """Conclude an answered solve here, even if another process was going to."""
        async with self.context.store.change() as db:
            if (await solves.hold(db, solve_id)).state is not SolveState.RUNNING:
                return
            now = self.context.clock.now()
            solve = await attempts.take_solve(db, solve_id, worker_id, at=now)
        if solve is None:
            return
        try:
            await self.conclude(solve_id, claim_of(solve))
        except ClaimLostError:
            log.info("solve.taken", solve_id=solve_id)

    async def repair(self, worker_id: WorkerId) -> None:
        """Conclude answered solves whose process died before it did."""
        async with self.context.store.read() as db:
            running = await solves.in_states(db, (SolveState.RUNNING,))
            left = [row.id for row in running if await events.has(db, row.id, events.ANSWERED)]
        for solve_id in left:
            await self.conclude_here(solve_id, worker_id)

    async def _end(
        self,
        solve_id: SolveId,
        ranking: Ranking,
        claim: Claim,
        *,
        known: Sequence[PersonAnswer],
    ) -> bool:
        """Offer, ask or abstain; False when there are other answers than the known ones."""
        clock, champion = self.context.clock, ranking.champion
        now, asked = clock.now(), _unanswered(ranking.asked, known)
        async with self.context.store.change() as db:
            solve = await solves.hold(db, solve_id)
            if await solves.answers(db, solve_id) != known:
                return False
            limit = stopped_by(solve, await runs.of_solve(db, solve_id), now=now)
            event, reason, data = _ending(ranking, asked, limit)
            await solves.ask(db, solve_id, asked, at=now, new_id=clock.new_id)
            await solves.advance(
                db,
                solve_id,
                event,
                at=now,
                data=data,
                claim=claim,
                champion_run_id=champion,
                reason=reason,
            )
        return True


class _Ending(NamedTuple):
    event: SolveEvent
    reason: str
    data: Data | None = None


def _ending(ranking: Ranking, asked: Sequence[Question], limit: str | None) -> _Ending:
    if ranking.champion is not None:
        return _Ending(SolveEvent.OFFERED, ranking.reason)
    if asked:
        text = line(asked[0].text, width=_MAX_TEXT)
        more = f" (and {len(asked) - 1} more)" if len(asked) > 1 else ""
        data: Data = {"question": text, "questions": len(asked)}
        return _Ending(SolveEvent.ASKED, f"a person has to answer: {text}{more}", data)
    stopped = f" (stopped by {limit})" if limit else ""
    return _Ending(SolveEvent.ABSTAINED, ranking.reason + stopped)


def _unanswered(asked: Sequence[Question], answers: Sequence[PersonAnswer]) -> tuple[Question, ...]:
    """Each once, and none that was answered: otherwise a solve could ask without end."""
    answered = {answer.key for answer in answers}
    left = {question.key: question for question in asked}
    return tuple(question for key, question in left.items() if key not in answered)
