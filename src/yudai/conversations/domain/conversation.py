"""Values of a conversation."""

from enum import StrEnum

from pydantic import Field

from yudai.kit.errors import RefusedError
from yudai.kit.ids import ConversationId, MessageId, SolveId
from yudai.kit.text import clean
from yudai.kit.value import Value

MAX_TEXT = 20_000
"""Bytes of one message."""
MAX_TITLE = 200


class ChatRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    """A model's answer."""
    YUDAI = "yudai"
    """What happened: a milestone of a solve, or what we have to say ourselves."""


class Milestone(StrEnum):
    """Progress messages of a solve, posted once each; most have the name of a state."""

    QUEUED = "queued"
    RUNNING = "running"
    FIRST_PASSING_RUN = "first_passing_run"
    ASKED = "asked"
    CHAMPION = "champion"
    AWAITING_REVIEW = "awaiting_review"
    PULL_REQUEST = "pull_request"
    COMPLETED = "completed"
    REVERTED = "reverted"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ChatMessage(Value):
    id: MessageId
    role: ChatRole
    text: str
    at: float
    solve_id: SolveId | None = None
    """The solve that the message reports or started."""
    milestone: Milestone | None = None
    links: dict[str, str] = Field(default_factory=dict)
    """Paths of this API by name: `solve`, `run`, `patch`."""
    reply_to: MessageId | None = None
    cost_usd: float = 0.0


class MessagePage(Value):
    """Oldest first."""

    messages: tuple[ChatMessage, ...]
    before: str | None
    """Cursor to older messages; None: there are none."""
    after: str
    """Cursor to newer messages, present or future."""
    more: bool = False
    """There are more messages in the requested direction."""
    reset: bool = False
    """The cursor is unknown: these are the newest messages, discard the others."""


class Posted(Value):
    message: ChatMessage
    solve_id: SolveId | None = None
    """The solve that it started; when there is none, a reply says why."""


class Conversation(Value):
    id: ConversationId
    title: str
    repo_url: str = ""
    repo_path: str = ""
    created_at: float


class ConversationPage(Value):
    """Newest first."""

    conversations: tuple[Conversation, ...]
    cursor: str | None
    """For the next page; None: this was the last."""
    reset: bool = False
    """The cursor is unknown: this is the first page."""


def checked_text(text: str) -> str:
    """A message ready to be stored; RefusedError when it is empty or too long."""
    text = clean(text).strip()
    if not text:
        raise RefusedError("the message is empty: write something, or `/solve` and an issue")
    size = len(text.encode())
    if size > MAX_TEXT:
        raise RefusedError(
            f"the message has {size:,} bytes, at most {MAX_TEXT:,} are allowed: shorten it"
        )
    return text
