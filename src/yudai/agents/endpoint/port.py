"""Where an agent inside a sandbox calls its model: our endpoint, which holds the real key."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from pydantic import Field, SecretStr

from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.ids import RunId
from yudai.kit.value import Value

MAX_BODY = 8 << 20
JSON = "application/json"
EVENTS = "text/event-stream"

ReadBody = Callable[[], Awaitable[bytes]]
"""Reads the body, after the token was checked; BodyTooLargeError above MAX_BODY."""


class BodyTooLargeError(Exception):
    """The body is larger than MAX_BODY."""


class ModelAnswer(Value):
    """An HTTP answer in OpenAI's shapes."""

    status: int
    content: bytes
    media_type: str = JSON
    headers: dict[str, str] = Field(default_factory=dict)


class ModelEndpoint(Protocol):
    """Called by HTTP servers. `authorization` is the header's value, or ""."""

    async def complete(self, authorization: str, read: ReadBody) -> ModelAnswer:
        """Answer one chat-completions request; a refusal is an answer too.

        Cancelling this does not cancel the model call, whose cost is settled in any case.
        """
        ...

    async def models(self, authorization: str) -> ModelAnswer: ...


class EndpointToken(Value):
    """One attempt's access to the model endpoint."""

    run_id: RunId
    attempt: int
    token: SecretStr


class EndpointReport(Value):
    """Totals of an ended attempt's calls."""

    steps: int
    usage: Usage
    messages: int
    """Number of stored messages, and so the next message's number."""
    plan: tuple[str, ...] = ()
    plan_step: int | None = None
    refusal: Cause | None = None
    """Why its last call was refused; None if it was answered."""


class RunEndpoint(Protocol):
    """The part of the model endpoint that a command agent uses."""

    async def open(self, run_id: RunId, *, sandbox_id: str, seconds: float) -> EndpointToken:
        """For the attempt whose first message came from this sandbox, else ClaimLostError.

        The token expires after so many seconds, or when the solve's time is up.
        """
        ...

    async def report(self, endpoint_token: EndpointToken) -> EndpointReport:
        """End the attempt's active calls, then report."""
        ...

    def close(self, endpoint_token: EndpointToken) -> None:
        """Forget the attempt in this process."""
        ...
