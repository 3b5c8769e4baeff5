"""Decisions about a solve, from its timeline, and which are still possible."""

from collections.abc import Iterable, Mapping

from pydantic import Field

from yudai.kit.ids import RunId
from yudai.kit.untyped import as_text
from yudai.kit.value import Value
from yudai.solves.domain.states import RESTING
from yudai.solves.tables import EventRow, SolveRow

APPLIED = "patch.applied"
SETTLED = "solve.settled"
# In the event's data: its pull request settled it, and no answer went into a folder.
PULL = "pull"


class AppliedFacts(Value):
    at: float
    run_id: RunId
    folder: str = Field(description="The folder whose files were changed; empty for a branch.")
    branch: str
    commit: str


class DismissedFacts(Value):
    at: float
    reason: str


class Decisions(Value):
    """What a person can decide now."""

    can_apply: bool = Field(description="Whether the champion's patch can be applied to a folder.")
    cannot_apply_because: str = Field(description="The reason; empty if it can be applied.")
    applied: AppliedFacts | None = Field(description="The last time that a patch was applied.")
    dismissed: DismissedFacts | None


def decisions_of(solve: SolveRow, timeline: Iterable[EventRow]) -> Decisions:
    applied: AppliedFacts | None = None
    dismissed: DismissedFacts | None = None
    for event in timeline:
        if event.kind not in (APPLIED, SETTLED) or PULL in event.data:
            continue
        if "dismissed" in event.data:
            dismissed = DismissedFacts(at=event.at, reason=as_text(event.data["dismissed"]))
        else:
            applied = _applied(event.at, event.data)
    obstacle = _obstacle(solve)
    return Decisions(
        can_apply=not obstacle,
        cannot_apply_because=obstacle,
        applied=applied,
        dismissed=dismissed,
    )


def _applied(at: float, data: Mapping[str, object]) -> AppliedFacts:
    return AppliedFacts(
        at=at,
        run_id=RunId(as_text(data.get("run"))),
        folder=as_text(data.get("applied")),
        branch=as_text(data.get("branch")),
        commit=as_text(data.get("commit")),
    )


def _obstacle(solve: SolveRow) -> str:
    if solve.snapshot is None:
        return "this solve has no folder"
    if solve.champion_run_id is not None:
        return ""
    if solve.state not in RESTING:
        return f"there is no champion yet: the solve is {solve.state}"
    return "there is no champion: choose one, or name a run"
