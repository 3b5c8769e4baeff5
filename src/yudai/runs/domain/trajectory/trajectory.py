"""Everything an agent did, message by message, in mini-SWE-agent's format."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from yudai.gateway.domain.models import Usage
from yudai.kit.money import usd
from yudai.kit.value import Value

FORMAT = "mini-swe-agent-1.1"
MINI_VERSION = "mini_version"
"""Key of an outcome's `config` that has its own place in the exported file."""


class TrajectoryMessage(Value):
    """One message as it happened; `step` counts model turns (0: before the first)."""

    seq: int
    step: int
    role: str
    at: float
    body: dict[str, Any]
    """The message as mini-SWE-agent has it."""


class Ended(Protocol):
    """A run's outcome as a trajectory needs it. `AgentOutcome` implements it."""

    @property
    def exit_status(self) -> str: ...
    @property
    def patch(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def config(self) -> Mapping[str, object]: ...


def export(messages: Iterable[TrajectoryMessage], outcome: Ended) -> dict[str, Any]:
    """A trajectory file that mini-SWE-agent's inspector can load."""
    config = dict(outcome.config)
    version = config.pop(MINI_VERSION, "")
    return {
        "info": {
            "model_stats": {
                "instance_cost": usd(outcome.usage.cost_micros),
                "api_calls": outcome.steps,
            },
            "config": config,
            "mini_version": version,
            "exit_status": outcome.exit_status,
            "submission": outcome.patch,
        },
        "messages": [message.body for message in sorted(messages, key=lambda m: m.seq)],
        "trajectory_format": FORMAT,
    }
