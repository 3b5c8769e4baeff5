"""Progress of a run, reported while it goes on."""

from collections.abc import Callable

from yudai.domain.marks import Marks
from yudai.domain.trajectory import TrajectoryMessage
from yudai.domain.usage import Usage
from yudai.domain.value import Value


class Progress(Value):
    """Running numbers, told after each message."""

    steps: int
    edits: int
    usage: Usage
    marks: Marks = ()


OnMessage = Callable[[TrajectoryMessage, Progress], None]
"""Called once per message, in order, from the agent's own thread; what it raises ends the run."""
