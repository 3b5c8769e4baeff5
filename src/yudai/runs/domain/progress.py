"""Progress of a run, reported while it goes on."""

from collections.abc import Callable

from yudai.gateway.domain.models import Usage
from yudai.kit.value import Value
from yudai.runs.domain.marks import Marks
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage


class Progress(Value):
    """Running numbers, told after each message."""

    steps: int
    edits: int
    usage: Usage
    marks: Marks = ()


OnMessage = Callable[[TrajectoryMessage, Progress], None]
"""Called once per message, in order, from the agent's own thread; what it raises ends the run."""
