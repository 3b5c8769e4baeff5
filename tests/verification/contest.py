"""A judgement of patches without agents: base, issue and answers in, champion or question out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tests.support.verified_repo import Files, Ground
from yudai.kit.ids import RunId
from yudai.projects.domain.project import Project
from yudai.ranking.domain.reducer import rank
from yudai.ranking.domain.scorecard import Ranking, Scorecard
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.strategies import Strategy
from yudai.verification.case import Prepared
from yudai.verification.cross_examination import Entry
from yudai.verification.domain.decide import Decision, decide
from yudai.verification.domain.facts import Candidate, Examination
from yudai.verification.domain.question import PersonAnswer, Question
from yudai.verification.domain.rules import RULES, Rules
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.verification.verify import Verification, Verifier


@dataclass(frozen=True)
class Judged:
    """What became of a contest."""

    candidates: Sequence[Candidate]
    examination: Examination
    rules: Rules
    reducer: str
    logs: Mapping[str, str]

    @cached_property
    def decision(self) -> Decision:
        return decide(self.candidates, self.examination, rules=self.rules)

    def answered(self, **choices: str) -> "Ranking":
        """Ranked again with answers: by the kind of question."""
        answers = [
            PersonAnswer(key=question.key, choice=choices[question.kind])
            for question in self.decision.questions
            if question.kind in choices
        ]
        return self._ranked(
            decide(self.candidates, self.examination, rules=self.rules, answers=answers)
        )

    @cached_property
    def ranking(self) -> Ranking:
        return self._ranked(self.decision)

    def _ranked(self, decision: Decision) -> Ranking:
        cards = [
            _scorecard(candidate, decision.verdicts[candidate.run_id], position)
            for position, candidate in enumerate(self.candidates)
        ]
        return rank(cards, reducer=self.reducer, require_proof=True, questions=decision.questions)

    @property
    def champion(self) -> str:
        """Its handle; empty: there is none."""
        return str(self.ranking.champion or "")

    @property
    def asked(self) -> list[str]:
        return [str(question.kind) for question in self.ranking.asked]

    @property
    def question(self) -> Question:
        [question] = self.ranking.asked
        return question

    def verdict(self, handle: str) -> Verdict:
        return self.decision.verdicts[RunId(handle)]

    def status(self, handle: str) -> VerdictStatus:
        return self.verdict(handle).status


@dataclass
class Contest:
    """`answers` by handle; models by handle where two are not independent."""

    ground: Ground
    base: Files
    issue: str
    answers: Mapping[str, Files]
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: Rules = RULES
    reducer: str = "evidence"
    node: bool = False
    project: Project = field(default_factory=lambda: Project(test_timeout_s=60.0))

    async def judge(self) -> Judged:
        verifier = Verifier(self.ground.backend, rules=self.rules)
        base = await self.ground.base(self.base, node=self.node)
        project = self.project.model_copy(update={"node": self.node})
        found = await verifier.baseline(base, project=project, owner="contest")
        prepared = Prepared(base=base, plan=found.plan, baseline=found.baseline, project=project)
        patches = {
            handle: self.ground.patch(self.base, files) for handle, files in self.answers.items()
        }
        slots = asyncio.Semaphore(2)

        async def verify(patch: str) -> Verification:
            async with slots:
                return await verifier.verify(prepared, patch, owner="contest", issue=self.issue)

        done = await asyncio.gather(*map(verify, patches.values()))
        entries = [
            Entry(RunId(handle), handle, patch, one.examined)
            for (handle, patch), one in zip(patches.items(), done, strict=True)
        ]
        examination = await verifier.cross_examine(
            prepared,
            entries,
            owner="contest",
            lanes=asyncio.Semaphore(2),
            issue=self.issue,
        )
        candidates = [
            Candidate(
                entry.run_id,
                entry.handle,
                self.models.get(entry.handle, entry.handle),
                entry.examined,
            )
            for entry in entries
        ]
        logs = {handle: one.log for handle, one in zip(patches, done, strict=True)}
        return Judged(candidates, examination, self.rules, self.reducer, logs)


def _scorecard(candidate: Candidate, verdict: Verdict, position: int) -> Scorecard:
    contestant = Contestant(
        agent="patch",
        model=candidate.independence,
        temperature=0.0,
        max_edits=1,
        strategy=Strategy.BALANCED,
        handle=candidate.handle,
    )
    return Scorecard(
        run_id=candidate.run_id,
        contestant=contestant,
        state=RunState.COMPLETED,
        cause=None,
        verdict=verdict,
        files_changed=1,
        lines_changed=verdict.evidence.size,
        cost_micros=0,
        latency_ms=position,
    )
