"""The program that edits code."""

from typing import Protocol

from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Gateway
from yudai.kit.causes import Cause
from yudai.kit.value import Value
from yudai.runs.domain.progress import OnMessage
from yudai.sandboxes.port import Sandbox
from yudai.solves.domain.matrix import Contestant


class AgentTask(Value):
    """The agent's input."""

    issue_title: str
    issue_body: str
    contestant: Contestant
    test_command: str
    finish_token: str
    """Random part of the finish marker, new for each run."""


class AgentLimits(Value):
    max_steps: int
    wall_time_s: float
    cost_cap_micros: int
    command_timeout_s: float


class AgentOutcome(Value):
    exit_status: str
    """mini-SWE-agent's word: Submitted, LimitsExceeded, TimeExceeded, ..."""
    cause: Cause | None
    """None when it submitted by itself."""
    error: str
    patch: str
    """The work tree's patch at the end, or when max_edits was reached."""
    edits: int
    edits_capped: bool
    steps: int
    usage: Usage
    plan: tuple[str, ...]
    plan_before_edit: bool
    config: dict[str, object]
    """mini-SWE-agent's `info.config`, for the exported trajectory."""


class Agent(Protocol):
    async def run(
        self,
        task: AgentTask,
        sandbox: Sandbox,
        gateway: Gateway,
        limits: AgentLimits,
        *,
        on_message: OnMessage,
    ) -> AgentOutcome:
        """Work until it submits or a limit ends it; cancelling stops it within two seconds."""
        ...
