"""All errors of Yudai.

YudaiError
├── RefusedError         the user's fault: one line that says what to do
│   ├── NotFoundError    there is no such thing
│   ├── ForbiddenError   it exists, but the caller may not do this to it
│   │   └── UnknownCallerError   the caller is not logged in
│   └── ConflictError    it exists, but not in a state that allows this
│       └── ClaimLostError   another worker has claimed it: this process may not write any more
└── InfrastructureError  something outside failed: carries a Cause
    ├── SandboxError
    │   └── SetupError   carries what set-up printed
    ├── GatewayError
    ├── ForgeError
    │   └── LostAnswerError   whether it was done is unknown: look before you repeat it
    └── ArtifactError    in artifacts/port.py
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar

from yudai.kit.causes import Cause
from yudai.kit.hints import Hint, on_command_line, over_http


class YudaiError(Exception):
    """Root of all our errors; a hint in the message is rendered by each edge in its own words."""

    def __init__(self, *message: str | Hint) -> None:
        super().__init__(on_command_line(message))
        self.message = message

    def over_http(self) -> str:
        return over_http(self.message)


class RefusedError(YudaiError):
    """Bad input; the message says what to do instead."""

    def __init__(self, *message: str | Hint, field: str = "") -> None:
        super().__init__(*message)
        self.field = field
        """The one field of the request that it belongs to, where it is known: `matrix.models`."""


@contextmanager
def about(field: str) -> Generator[None]:
    """Errors in this block get this field of the request, unless they have one."""
    try:
        yield
    except RefusedError as error:
        error.field = error.field or field
        raise


class NotFoundError(RefusedError):
    pass


class ForbiddenError(RefusedError):
    pass


class UnknownCallerError(ForbiddenError):
    """The caller's token is unknown: it was revoked, or it has expired."""


class ConflictError(RefusedError):
    def __init__(self, *message: str | Hint, state: str = "") -> None:
        super().__init__(*message)
        self.state = state
        """The state that does not allow it, if that is the reason."""


class ClaimLostError(ConflictError):
    pass


class IllegalTransitionError(ConflictError):
    def __init__(self, state: str, event: str) -> None:
        super().__init__(f"{event} is not possible in state {state}", state=state)


class InfrastructureError(YudaiError):
    """An infrastructure error. `cause` says what it means for the run."""

    def __init__(self, cause: Cause, message: str) -> None:
        super().__init__(message)
        self.cause = cause


class SandboxError(InfrastructureError):
    usual_cause: ClassVar = Cause.SANDBOX_FAILED

    def __init__(self, message: str, *, cause: Cause | None = None) -> None:
        super().__init__(cause or self.usual_cause, message)


class SetupError(SandboxError):
    """A set-up command failed. `log` is the output of all commands so far."""

    usual_cause = Cause.SETUP_FAILED

    def __init__(self, message: str, *, log: bytes = b"") -> None:
        super().__init__(message)
        self.log = log


class GatewayError(InfrastructureError):
    def __init__(
        self, message: str, *, cause: Cause = Cause.MODEL_FAILED, lost_attempts: int = 0
    ) -> None:
        super().__init__(cause, message)
        self.lost_attempts = lost_attempts
        """Number of sent calls whose response was lost; each may have been charged."""


class ForgeError(InfrastructureError):
    """The forge failed. `retry_after_s` is the delay that it asks for."""

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(Cause.FORGE_FAILED, message)
        self.retry_after_s = retry_after_s


def retry_after_s(error: Exception) -> float:
    return error.retry_after_s if isinstance(error, ForgeError) else 0.0


class LostAnswerError(ForgeError):
    pass
