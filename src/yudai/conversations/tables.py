"""Tables of conversations and their messages."""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from yudai.conversations.domain.conversation import ChatRole
from yudai.kit.ids import LOCAL_USER, ConversationId, MessageId, SolveId
from yudai.store.columns import CleanText, ValueJson, words
from yudai.store.rows import Base, Id, Links, Serial


class ConversationRow(Base, kw_only=True):
    __tablename__ = "conversations"
    __table_args__ = (Index(None, "user_id", "created_at"),)

    id: Mapped[ConversationId] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, default=LOCAL_USER)
    title: Mapped[str] = mapped_column(CleanText, default="")
    repo_url: Mapped[str] = mapped_column(CleanText, default="")
    repo_path: Mapped[str] = mapped_column(CleanText, default="")
    """Default repository of its solves: a URL or a folder."""
    created_at: Mapped[float] = mapped_column(Double)


class ChatMessageRow(Base, kw_only=True):
    """A message of a conversation. Each milestone of a solve is stored once."""

    __tablename__ = "messages"
    __table_args__ = (
        Index(None, "conversation_id", "id"),
        UniqueConstraint("solve_id", "milestone"),
        UniqueConstraint("reply_to"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[MessageId] = mapped_column(Serial, primary_key=True, init=False)
    conversation_id: Mapped[ConversationId] = mapped_column(
        Id, ForeignKey("conversations.id", ondelete="CASCADE")
    )
    role: Mapped[ChatRole] = mapped_column(words(ChatRole))
    text: Mapped[str] = mapped_column(CleanText)
    at: Mapped[float] = mapped_column(Double)
    solve_id: Mapped[SolveId | None] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), default=None
    )
    milestone: Mapped[str | None] = mapped_column(Id, default=None)
    links: Mapped[Links] = mapped_column(ValueJson(Links), default_factory=dict)
    """Name and path within the service, e.g. `solve`: `/solves/...`."""
    reply_to: Mapped[MessageId | None] = mapped_column(Serial, default=None)
    """The message that this one answers; unique."""
    cost_micros: Mapped[int] = mapped_column(BigInteger, default=0)
