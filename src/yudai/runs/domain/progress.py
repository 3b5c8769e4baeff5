"""Progress of an active run: its numbers, and the marks that the page shows."""

from collections.abc import Callable
from typing import Literal

from yudai.gateway.domain.models import Usage
from yudai.kit.value import Value
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage

MAX_MARKS = 40


class RunMark(Value):
    kind: Literal["edit", "test"]
    at: float
    step: int
    cost_micros: int
    """Cost of the attempt up to then."""
    ok: bool | None = None
    """Whether the tests passed; None for an edit, or when it is unknown."""


Marks = tuple[RunMark, ...]


def with_mark(marks: Marks, mark: RunMark) -> Marks:
    """Add a mark. Above the limit the first edit and the newest tests are kept."""
    has_edit = any(one.kind == "edit" for one in marks)
    if mark.kind == "edit" and has_edit:
        return marks
    all_marks = (*marks, mark)
    if len(all_marks) <= MAX_MARKS:
        return all_marks
    oldest = next(place for place, one in enumerate(all_marks) if one.kind == "test")
    return all_marks[:oldest] + all_marks[oldest + 1 :]


class Progress(Value):
    """Numbers of a run, reported after each message."""

    steps: int
    edits: int
    usage: Usage
    marks: Marks = ()


OnMessage = Callable[[TrajectoryMessage, Progress], None]
"""Called once per message, in order, from the agent's thread. An exception ends the run."""
