"""The numbers shown for a run."""

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Contestant
from yudai.verification.domain.expect import PERSON
from yudai.verification.domain.question import Question
from yudai.verification.domain.verdict import Verdict


class Scorecard(Value):
    run_id: RunId
    contestant: Contestant
    state: RunState
    cause: Cause | None
    verdict: Verdict
    files_changed: int
    """Files of the patch, test files not counted."""
    lines_changed: int
    """Lines added and removed, test files not counted."""
    cost_micros: int
    latency_ms: int
    steadiness: float = 0.0
    """How steady this contestant has been; higher is better (reputation comes later)."""
    submitted_at: float | None = None
    error: str = ""
    """The error message, which says more than the cause."""


def red_to_green(verdict: Verdict) -> tuple[str, ...]:
    """Tests that prove the patch by failing on base.

    A person who accepted it is no test, and one that became faster was green before.
    """
    others = {PERSON, *(one.test for one in verdict.evidence.faster)}
    return tuple(name for name in verdict.evidence.proved_by if name not in others)


class Place(Value):
    rank: int
    scorecard: Scorecard
    why: str


class Ranking(Value):
    places: tuple[Place, ...]
    champion: RunId | None
    reason: str
    """One line: why this champion, or why none."""
    asked: tuple[Question, ...] = ()
    """What a person has to say before there can be a champion."""
