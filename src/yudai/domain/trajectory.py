"""Everything an agent did, message by message, in mini-SWE-agent's shapes."""

from typing import Any

from yudai.domain.value import Value


class TrajectoryMessage(Value):
    """One message as it happened; `step` counts model turns (0: before the first)."""

    seq: int
    step: int
    role: str
    at: float
    body: dict[str, Any]
    """mini-SWE-agent's message as it stands."""
