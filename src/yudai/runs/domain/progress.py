"""Progress of a run, reported while it goes on: its numbers, and the marks that a lane shows."""

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
    """What the attempt had cost by then."""
    ok: bool | None = None
    """Whether the tests passed; None for an edit, and where nothing tells."""


Marks = tuple[RunMark, ...]


def with_mark(marks: Marks, mark: RunMark) -> Marks:
    """The first edit stays whatever comes; of tests the newest do."""
    has_edit = any(one.kind == "edit" for one in marks)
    if mark.kind == "edit" and has_edit:
        return marks
    all_marks = (*marks, mark)
    if len(all_marks) <= MAX_MARKS:
        return all_marks
    oldest = next(place for place, one in enumerate(all_marks) if one.kind == "test")
    return all_marks[:oldest] + all_marks[oldest + 1 :]


class Progress(Value):
    """Running numbers, told after each message."""

    steps: int
    edits: int
    usage: Usage
    marks: Marks = ()


OnMessage = Callable[[TrajectoryMessage, Progress], None]
"""Called once per message, in order, from the agent's own thread; what it raises ends the run."""
