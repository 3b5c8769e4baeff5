"""Causes of a failed run, in one table that is read by retries, ranking and messages."""

from enum import StrEnum
from typing import Literal, NamedTuple


class Cause(StrEnum):
    SANDBOX_FAILED = "sandbox_failed"
    SANDBOX_LOST = "sandbox_lost"
    SANDBOX_REFUSED = "sandbox_refused"
    SETUP_FAILED = "setup_failed"
    MODEL_FAILED = "model_failed"
    MODEL_REFUSED = "model_refused"
    CONTEXT_OVERFLOW = "context_overflow"
    SCRIPT_EXHAUSTED = "script_exhausted"
    AGENT_FAILED = "agent_failed"
    NO_TOOL_CALLS = "no_tool_calls"
    OUT_OF_STEPS = "out_of_steps"
    OUT_OF_TIME = "out_of_time"
    OUT_OF_BUDGET = "out_of_budget"
    EMPTY_PATCH = "empty_patch"
    PATCH_REFUSED = "patch_refused"
    WORKER_LOST = "worker_lost"
    WORKER_LEFT = "worker_left"
    STORE_FAILED = "store_failed"
    VERIFICATION_FAILED = "verification_failed"
    FORGE_FAILED = "forge_failed"
    INTERNAL = "internal"


class Policy(NamedTuple):
    who: Literal["world", "contestant"]
    """Whose fault it is. Infrastructure never counts against a contestant."""
    retry: Literal["retry", "final"]
    message: str


POLICIES: dict[Cause, Policy] = {
    Cause.SANDBOX_FAILED: Policy("world", "retry", "the sandbox could not be started"),
    Cause.SANDBOX_LOST: Policy("world", "retry", "the sandbox died during the run"),
    Cause.SANDBOX_REFUSED: Policy(
        "world", "final", "the sandbox provider refused us: its key, its credit or its settings"
    ),
    Cause.SETUP_FAILED: Policy("world", "final", "the repository's set-up failed"),
    Cause.MODEL_FAILED: Policy("world", "retry", "the model endpoint failed"),
    Cause.MODEL_REFUSED: Policy("world", "final", "the model endpoint refused the call"),
    Cause.CONTEXT_OVERFLOW: Policy(
        "contestant", "final", "the conversation outgrew the model's context"
    ),
    Cause.SCRIPT_EXHAUSTED: Policy("contestant", "final", "the script has no more replies"),
    Cause.AGENT_FAILED: Policy("contestant", "final", "the agent failed"),
    Cause.NO_TOOL_CALLS: Policy(
        "contestant", "final", "the model kept answering without a usable tool call"
    ),
    Cause.OUT_OF_STEPS: Policy(
        "contestant", "final", "the step limit was reached before it submitted"
    ),
    Cause.OUT_OF_TIME: Policy("contestant", "final", "the time budget ended before it submitted"),
    Cause.OUT_OF_BUDGET: Policy(
        "contestant", "final", "the cost cap was reached before it submitted"
    ),
    Cause.EMPTY_PATCH: Policy("contestant", "final", "it submitted without changing anything"),
    Cause.PATCH_REFUSED: Policy("contestant", "final", "its patch was refused"),
    Cause.WORKER_LOST: Policy("world", "retry", "the worker that ran it died"),
    Cause.WORKER_LEFT: Policy("world", "retry", "the worker that ran it was stopped"),
    Cause.STORE_FAILED: Policy(
        "world", "retry", "the database or the artifact store could not be reached"
    ),
    Cause.VERIFICATION_FAILED: Policy("world", "retry", "its patch could not be verified"),
    Cause.FORGE_FAILED: Policy("world", "retry", "the forge could not be reached"),
    Cause.INTERNAL: Policy("world", "final", "Yudai failed; this is our fault"),
}
