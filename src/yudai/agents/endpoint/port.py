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
    """Nobody sends that much to a model."""


class ModelAnswer(Value):
    """An HTTP answer in OpenAI's shapes."""

    status: int
    content: bytes
    media_type: str = JSON
    headers: dict[str, str] = Field(default_factory=dict)


class ModelDesk(Protocol):
    """What doors serve; `authorization` is that header as it came, "" when there was none."""

    async def complete(self, authorization: str, read: ReadBody) -> ModelAnswer:
        """One chat-completions request; cancelling leaves the call, which is settled all the same.

        Every refusal is an answer.
        """
        ...

    async def models(self, authorization: str) -> ModelAnswer: ...


class Ticket(Value):
    """One attempt's admission to the desk."""

    run_id: RunId
    attempt: int
    token: SecretStr


class DeskReport(Value):
    """What an attempt has asked for, when nobody asks any more."""

    steps: int
    usage: Usage
    messages: int
    """How many of its trajectory are stored: the next one's number."""
    plan: tuple[str, ...] = ()
    plan_step: int | None = None
    refusal: Cause | None = None
    """Why its last call was not answered; None: it was."""


class RunDesk(Protocol):
    """What a command agent needs of the desk."""

    async def admit(self, run_id: RunId, *, sandbox_id: str, seconds: float) -> Ticket:
        """For the attempt that has told its first message from this sandbox, else TakenError.

        It is good for so many seconds, at the longest until its solve's time is up.
        """
        ...

    async def report(self, ticket: Ticket) -> DeskReport:
        """Ends what is under way for it first."""
        ...

    def leave(self, ticket: Ticket) -> None:
        """Nothing more is done for it in this process."""
        ...
