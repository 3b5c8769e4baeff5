"""Maps a solve's timeline to milestones and their texts."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from yudai.conversations.domain.conversation import Milestone
from yudai.kit.ids import RunId, SolveId, short
from yudai.kit.text import line
from yudai.verification.domain.verdict import VerdictStatus

MAX_LINE = 500
_MAX_ISSUE = 80
_JUDGED = "run.judged"

REACHED: dict[str, tuple[Milestone, ...]] = {
    "solve.opened": (Milestone.QUEUED,),
    "solve.started": (Milestone.RUNNING,),
    _JUDGED: (Milestone.FIRST_PASSING_RUN,),
    "solve.asked": (Milestone.ASKED,),
    "solve.offered": (Milestone.CHAMPION, Milestone.AWAITING_REVIEW),
    "publication.opened": (Milestone.PULL_REQUEST,),
    "outcome.reverted": (Milestone.REVERTED,),
    "solve.abstained": (Milestone.COMPLETED,),
    "solve.settled": (Milestone.COMPLETED,),
    "solve.broke": (Milestone.FAILED,),
    "solve.cancelled": (Milestone.CANCELLED,),
}
"""Milestones by kind of event. A run's verdict is one only when it passed."""


class Happened(NamedTuple):
    """One event of a timeline."""

    kind: str
    at: float
    run_id: RunId | None
    data: Mapping[str, object]


class Reached(NamedTuple):
    milestone: Milestone
    event: Happened


def reached(timeline: Iterable[Happened]) -> list[Reached]:
    """Each milestone once, by the first event that reached it, in the order of the timeline."""
    first: dict[Milestone, Happened] = {}
    for event in timeline:
        if event.kind == _JUDGED and event.data.get("status") != VerdictStatus.PASSED:
            continue
        for milestone in REACHED.get(event.kind, ()):
            first.setdefault(milestone, event)
    return [Reached(milestone, event) for milestone, event in first.items()]


class Facts(NamedTuple):
    """Facts about a solve and a milestone's run."""

    solve_id: SolveId
    issue: str
    contestants: int
    not_started: int
    handle: str
    """Of the run, as are its summary and sizes."""
    summary: str
    files: int
    lines: int
    reason: str
    cost_usd: float
    is_passed: bool = True
    """Whether the run's present verdict is passed."""


def text_of(milestone: Milestone, facts: Facts, data: Mapping[str, object]) -> str:
    """One line that names its solve, because a conversation may have several.

    Text of issues, tests and models is cut.
    """
    issue = line(facts.issue, width=_MAX_ISSUE)
    text = _TEXTS[milestone](facts, data)
    return line(f"Solve {short(facts.solve_id)} ({issue}) {text}", width=MAX_LINE)


def links_of(solve_id: SolveId, run_id: RunId | None) -> dict[str, str]:
    """Paths of the API for a solve, its run and the run's patch."""
    links = {"solve": f"/api/solves/{solve_id}"}
    if run_id is None:
        return links
    return links | {"run": f"/api/runs/{run_id}", "patch": f"/api/runs/{run_id}/patch"}


def _queued(facts: Facts, _data: Mapping[str, object]) -> str:
    left = f"; {facts.not_started} more are not started" if facts.not_started else ""
    return f"is queued: {_count(facts.contestants, 'contestant')}{left}."


def _first(facts: Facts, _data: Mapping[str, object]) -> str:
    # Cross-examination may have changed the verdict since; the champion's milestone tells it.
    said = f": {facts.summary}" if facts.is_passed else ""
    return f"has its first passing run, {facts.handle}{said}"


def _asked(_facts: Facts, data: Mapping[str, object]) -> str:
    return f"needs you, asked: {data.get('question')}"


def _champion(facts: Facts, _data: Mapping[str, object]) -> str:
    # The reason begins with the handle, or with the person who chose it.
    return f"has a champion, {facts.reason or facts.handle}"


def _awaiting(facts: Facts, _data: Mapping[str, object]) -> str:
    size = f"{_count(facts.files, 'file')}, {_count(facts.lines, 'line')}"
    return f"awaits review of its champion's patch: {size}. All runs cost ${facts.cost_usd:.2f}."


def _completed(facts: Facts, data: Mapping[str, object]) -> str:
    if "branch" in data:
        return f"is completed: the patch is on branch {data['branch']}."
    if "applied" in data:
        return "is completed: the patch was applied."
    if "pull" in data:
        return f"is completed: pull request #{data['pull']} was {data.get('pull_state')}."
    if "dismissed" in data:
        reason = f": {data['dismissed']}" if data["dismissed"] else "."
        return f"is completed: it was dismissed{reason}"
    return f"is completed, {facts.reason}" if facts.reason else "is completed."


def _pull(_facts: Facts, data: Mapping[str, object]) -> str:
    return f"has pull request #{data.get('number')}: {data.get('url')}"


def _failed(facts: Facts, _data: Mapping[str, object]) -> str:
    return f"has failed: {facts.reason or 'no reason was given'}"


_TEXTS: dict[Milestone, Callable[[Facts, Mapping[str, object]], str]] = {
    Milestone.QUEUED: _queued,
    Milestone.RUNNING: lambda _facts, _data: "is running.",
    Milestone.FIRST_PASSING_RUN: _first,
    Milestone.ASKED: _asked,
    Milestone.CHAMPION: _champion,
    Milestone.AWAITING_REVIEW: _awaiting,
    Milestone.PULL_REQUEST: _pull,
    Milestone.COMPLETED: _completed,
    Milestone.REVERTED: lambda _facts, _data: "was reverted after its merge.",
    Milestone.FAILED: _failed,
    Milestone.CANCELLED: lambda _facts, _data: "is cancelled.",
}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
