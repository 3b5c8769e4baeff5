"""Table of exit statuses, mini-SWE-agent's and ours, with the cause that each one means."""

from yudai.kit.causes import Cause

SUBMITTED = "Submitted"
CANCELLED = "Cancelled"

EXIT_CAUSES: dict[str, Cause | None] = {
    SUBMITTED: None,
    "LimitsExceeded": Cause.OUT_OF_STEPS,
    "TimeExceeded": Cause.OUT_OF_TIME,
    "CostExceeded": Cause.OUT_OF_BUDGET,
    "RepeatedFormatError": Cause.NO_TOOL_CALLS,
    "SandboxFailed": Cause.SANDBOX_FAILED,
    "SandboxLost": Cause.SANDBOX_LOST,
    "SandboxRefused": Cause.SANDBOX_REFUSED,
    "ModelFailed": Cause.MODEL_FAILED,
    "ModelRefused": Cause.MODEL_REFUSED,
    "ContextWindowExceeded": Cause.CONTEXT_OVERFLOW,
    "ScriptExhausted": Cause.SCRIPT_EXHAUSTED,
    "AgentFailed": Cause.AGENT_FAILED,
    "SetupFailed": Cause.SETUP_FAILED,
    "EmptyPatch": Cause.EMPTY_PATCH,
    "PatchRefused": Cause.PATCH_REFUSED,
    "VerificationFailed": Cause.VERIFICATION_FAILED,
    "WorkerLost": Cause.WORKER_LOST,
    "WorkerLeft": Cause.WORKER_LEFT,
    "StoreFailed": Cause.STORE_FAILED,
    "ForgeFailed": Cause.FORGE_FAILED,
    "InternalError": Cause.INTERNAL,
}
EXIT_STATUSES = {cause: status for status, cause in EXIT_CAUSES.items()}

# mini-SWE-agent reports the name of an uncaught exception, here those of its libraries.
UPSTREAM_CAUSES: dict[str, Cause] = {
    "APIConnectionError": Cause.MODEL_FAILED,
    "APIError": Cause.MODEL_FAILED,
    "InternalServerError": Cause.MODEL_FAILED,
    "OpenRouterAPIError": Cause.MODEL_FAILED,
    "OpenRouterRateLimitError": Cause.MODEL_FAILED,
    "RateLimitError": Cause.MODEL_FAILED,
    "RetryError": Cause.MODEL_FAILED,
    "ServiceUnavailableError": Cause.MODEL_FAILED,
    "Timeout": Cause.MODEL_FAILED,
    "AuthenticationError": Cause.MODEL_REFUSED,
    "BadRequestError": Cause.MODEL_REFUSED,
    "ContentPolicyViolationError": Cause.MODEL_REFUSED,
    "NotFoundError": Cause.MODEL_REFUSED,
    "OpenRouterAuthenticationError": Cause.MODEL_REFUSED,
    "PermissionDeniedError": Cause.MODEL_REFUSED,
    "UnsupportedParamsError": Cause.MODEL_REFUSED,
    "ContextWindowExceededError": Cause.CONTEXT_OVERFLOW,
    "CalledProcessError": Cause.SANDBOX_FAILED,
}

INTERRUPTED = frozenset({"", CANCELLED, "KeyboardInterrupt", "UserInterruption"})
"""The run was stopped by a person or by the end of the process."""


def cause_of(exit_status: str) -> Cause | None:
    """Why a run with this exit status failed; None when it submitted or was interrupted."""
    if exit_status in INTERRUPTED:
        return None
    unknown = UPSTREAM_CAUSES.get(exit_status, Cause.AGENT_FAILED)
    return EXIT_CAUSES.get(exit_status, unknown)
