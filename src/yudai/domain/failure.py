"""Why a run failed, and what follows from it: one table, read by retries, ranking and messages."""

from enum import StrEnum
from typing import NamedTuple


class Cause(StrEnum):
    SANDBOX_FAILED = "sandbox_failed"
    SANDBOX_LOST = "sandbox_lost"
    SETUP_FAILED = "setup_failed"
    MODEL_FAILED = "model_failed"
    SCRIPT_EXHAUSTED = "script_exhausted"
    AGENT_FAILED = "agent_failed"
    NO_TOOL_CALLS = "no_tool_calls"
    OUT_OF_STEPS = "out_of_steps"
    OUT_OF_TIME = "out_of_time"
    OUT_OF_BUDGET = "out_of_budget"
    EMPTY_PATCH = "empty_patch"
    PATCH_REFUSED = "patch_refused"
    VERIFICATION_FAILED = "verification_failed"
    INTERNAL = "internal"


class Policy(NamedTuple):
    retry: bool
    blames_contestant: bool
    message: str


POLICIES: dict[Cause, Policy] = {
    Cause.SANDBOX_FAILED: Policy(True, False, "the sandbox could not be started"),
    Cause.SANDBOX_LOST: Policy(True, False, "the sandbox died during the run"),
    Cause.SETUP_FAILED: Policy(False, False, "the repository's set-up failed"),
    Cause.MODEL_FAILED: Policy(True, False, "the model endpoint failed"),
    Cause.SCRIPT_EXHAUSTED: Policy(False, True, "the script has no more replies"),
    Cause.AGENT_FAILED: Policy(False, True, "the agent failed"),
    Cause.NO_TOOL_CALLS: Policy(False, True, "the model kept answering without a usable tool call"),
    Cause.OUT_OF_STEPS: Policy(False, True, "the step limit was reached before it submitted"),
    Cause.OUT_OF_TIME: Policy(False, True, "the time budget ended before it submitted"),
    Cause.OUT_OF_BUDGET: Policy(False, True, "the cost cap was reached before it submitted"),
    Cause.EMPTY_PATCH: Policy(False, True, "it submitted without changing anything"),
    Cause.PATCH_REFUSED: Policy(False, True, "its patch was refused"),
    Cause.VERIFICATION_FAILED: Policy(True, False, "its patch could not be verified"),
    Cause.INTERNAL: Policy(False, False, "Yudai failed; this is our fault"),
}
