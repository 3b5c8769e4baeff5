"""How a run is ended: an exit message, in mini-SWE-agent's way."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from yudai.agents.adapters.mini_swe.thread_bridge import OverdueError, StoppedError
from yudai.agents.adapters.mini_swe.upstream import InterruptAgentFlow
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import WorldError
from yudai.runs.domain.exit_status import CANCELLED, EXIT_CAUSES

_WITHOUT_SANDBOX = frozenset({CANCELLED, "SandboxFailed", "SandboxLost"})
_STATUSES = {cause: status for status, cause in EXIT_CAUSES.items()}


class Ending(InterruptAgentFlow):
    """Ends the run with an exit message."""

    def __init__(self, exit_status: str, reason: str) -> None:
        self.reason = reason
        self.leaves_sandbox = exit_status not in _WITHOUT_SANDBOX
        """Whether the work tree can still be looked at."""
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  upstream says only `dict`
            exit_message(exit_status, reason)
        )


def exit_message(exit_status: str, reason: str) -> dict[str, Any]:
    # The patch is taken from the sandbox, so the submission stays empty here.
    return {
        "role": "exit",
        "content": reason,
        "extra": {"exit_status": exit_status, "submission": ""},
    }


def ending(cause: Cause | None, reason: str = "") -> Ending:
    return Ending(_STATUSES[cause], reason or ("" if cause is None else POLICIES[cause].message))


@contextmanager
def as_endings() -> Generator[None]:
    """Turn what ends a run into its exit message, so that the model never sees it."""
    try:
        yield
    except StoppedError:
        raise Ending(CANCELLED, "the run was cancelled") from None
    except OverdueError:
        raise ending(Cause.OUT_OF_TIME) from None
    except WorldError as error:
        raise ending(error.cause, str(error)) from error
