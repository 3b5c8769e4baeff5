"""How a run is ended: an exit message, in mini-SWE-agent's way."""

from collections.abc import Generator
from contextlib import contextmanager

from yudai.agents.adapters.mini_swe.thread_bridge import OverdueError, StoppedError
from yudai.agents.adapters.mini_swe.upstream import InterruptAgentFlow
from yudai.agents.messages import exit_message
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import InfrastructureError
from yudai.runs.domain.exit_status import CANCELLED, EXIT_STATUSES

_WITHOUT_SANDBOX = frozenset({CANCELLED, "SandboxFailed", "SandboxLost"})


class Ending(InterruptAgentFlow):
    """Ends the run with an exit message."""

    def __init__(self, exit_status: str, reason: str) -> None:
        self.reason = reason
        self.leaves_sandbox = exit_status not in _WITHOUT_SANDBOX
        """Whether the work tree can still be looked at."""
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  upstream says only `dict`
            exit_message(exit_status, reason)
        )


def ending(cause: Cause | None, reason: str = "") -> Ending:
    reason = reason or ("" if cause is None else POLICIES[cause].message)
    return Ending(EXIT_STATUSES[cause], reason)


@contextmanager
def as_endings() -> Generator[None]:
    """Turn what ends a run into its exit message, so that the model never sees it."""
    try:
        yield
    except StoppedError:
        raise Ending(CANCELLED, "the run was cancelled") from None
    except OverdueError:
        raise ending(Cause.OUT_OF_TIME) from None
    except InfrastructureError as error:
        raise ending(error.cause, str(error)) from error
