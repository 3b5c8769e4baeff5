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
"""The request's body, asked for only when its token is good; BodyTooLargeError above MAX_BODY."""


class BodyTooLargeError(Exception):
    """The body is larger than MAX_BODY."""


class ModelAnswer(Value):
    """An HTTP answer in OpenAI's shapes."""

    status: int
    content: bytes
    media_type: str = JSON
    headers: dict[str, str] = Field(default_factory=dict)


class ModelEndpoint(Protocol):
    """What HTTP servers serve; `authorization` is that header as sent, "" when there was none."""

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
    """What an attempt's calls added up to, once it has ended."""

    steps: int
    usage: Usage
    messages: int
    """How many messages of its trajectory are stored: the number of the next one."""
    plan: tuple[str, ...] = ()
    plan_step: int | None = None
    refusal: Cause | None = None
    """Why its last call was refused; None: it was answered."""


class RunEndpoint(Protocol):
    """What a command agent needs of the model endpoint."""

    async def open(self, run_id: RunId, *, sandbox_id: str, seconds: float) -> EndpointToken:
        """For the attempt whose first message came from this sandbox, else ClaimLostError.

        The token expires after so many seconds, or when the solve's time is up.
        """
        ...

    async def report(self, endpoint_token: EndpointToken) -> EndpointReport:
        """End the attempt's calls under way, then report."""
        ...

    def close(self, endpoint_token: EndpointToken) -> None:
        """Forget the attempt in this process."""
        ...
