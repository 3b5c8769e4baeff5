"""Queries of conversations and their messages."""

from collections.abc import Collection
from typing import cast

from sqlalchemy import ColumnElement, Table, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.conversations.domain.conversation import ChatRole
from yudai.conversations.tables import ChatMessageRow, ConversationRow
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import ConversationId, MessageId, SolveId
from yudai.solves.domain.states import SolveState
from yudai.solves.queries import NEWEST_FIRST
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.compare_and_set import can_be_id
from yudai.store.connections import insert_new, is_sqlite
from yudai.store.database import LOCKS

_MESSAGES = cast("Table", ChatMessageRow.__table__)
_NEWEST_FIRST = (ConversationRow.created_at.desc(), ConversationRow.id.desc())


async def add(db: AsyncSession, row: ConversationRow) -> ConversationRow:
    db.add(row)
    await db.flush()
    return row


async def get(db: AsyncSession, conversation_id: str, *, user_id: str) -> ConversationRow:
    """A conversation of this user; NotFoundError for any other."""
    row = await find(db, conversation_id, user_id=user_id)
    if row is None:
        shown = conversation_id if can_be_id(conversation_id) else ascii(conversation_id)
        raise NotFoundError(f"there is no conversation {shown}: GET /api/conversations lists them")
    return row


async def find(db: AsyncSession, conversation_id: str, *, user_id: str) -> ConversationRow | None:
    row = await db.get(ConversationRow, conversation_id) if can_be_id(conversation_id) else None
    return row if row is not None and row.user_id == user_id else None


async def page(
    db: AsyncSession, *, user_id: str, limit: int, seen: ConversationRow | None = None
) -> list[ConversationRow]:
    """Newest first; `seen` is the last one of the page before."""
    query = select(ConversationRow).where(ConversationRow.user_id == user_id)
    if seen is not None:
        place = tuple_(ConversationRow.created_at, ConversationRow.id)
        query = query.where(place < (seen.created_at, seen.id))
    return list(await db.scalars(query.order_by(*_NEWEST_FIRST).limit(limit)))


async def recent_solves(
    db: AsyncSession, conversation_id: ConversationId, *, limit: int
) -> list[SolveId]:
    """Newest first."""
    query = select(SolveRow.id).where(SolveRow.conversation_id == conversation_id)
    return list(await db.scalars(query.order_by(*NEWEST_FIRST).limit(limit)))


async def hold(db: AsyncSession, conversation_id: ConversationId) -> None:
    """Lock the conversation: no other transaction adds messages until the commit.

    Messages get their numbers before they are committed. With two transactions at once the later
    number could become visible first, and a reader with that cursor would miss the earlier one.
    """
    if is_sqlite(db.get_bind().dialect):
        return
    row = select(ConversationRow.id).where(ConversationRow.id == conversation_id)
    locked = row.with_for_update(key_share=True)
    await db.execute(locked, execution_options={LOCKS: True})


async def add_message(db: AsyncSession, row: ChatMessageRow) -> ChatMessageRow:
    await hold(db, row.conversation_id)
    db.add(row)
    await db.flush()
    return row


async def add_once(
    db: AsyncSession,
    conversation_id: ConversationId,
    *,
    role: ChatRole,
    text: str,
    at: float,
    **columns: object,
) -> bool:
    """Add a milestone or a reply unless it exists."""
    await hold(db, conversation_id)
    values = {"conversation_id": conversation_id, "role": role, "text": text, "at": at}
    # A plain statement does not get the row's defaults.
    values |= {"links": {}, "cost_micros": 0, **columns}
    statement = insert_new(_MESSAGES, db.get_bind().dialect).values(**values)
    return await db.scalar(statement.returning(_MESSAGES.c.id)) is not None


async def message(db: AsyncSession, message_id: MessageId) -> ChatMessageRow | None:
    return await db.get(ChatMessageRow, message_id, populate_existing=True)


async def reply(db: AsyncSession, message_id: MessageId) -> ChatMessageRow | None:
    query = select(ChatMessageRow).where(ChatMessageRow.reply_to == message_id)
    return (await db.scalars(query)).one_or_none()


async def newest(db: AsyncSession, conversation_id: ConversationId) -> MessageId:
    """Number of the last message; 0 when there is none."""
    query = select(func.max(ChatMessageRow.id)).where(_is_of(conversation_id))
    return MessageId(await db.scalar(query) or 0)


async def messages_after(
    db: AsyncSession, conversation_id: ConversationId, cursor: int, *, limit: int
) -> list[ChatMessageRow]:
    newer = select(ChatMessageRow).where(_is_of(conversation_id), ChatMessageRow.id > cursor)
    return list(await db.scalars(newer.order_by(ChatMessageRow.id).limit(limit)))


async def messages_before(
    db: AsyncSession, conversation_id: ConversationId, cursor: int | None, *, limit: int
) -> list[ChatMessageRow]:
    """The last messages before the cursor (None: of all), oldest first."""
    older = select(ChatMessageRow).where(_is_of(conversation_id))
    if cursor is not None:
        older = older.where(ChatMessageRow.id < cursor)
    rows = await db.scalars(older.order_by(ChatMessageRow.id.desc()).limit(limit))
    return list(rows)[::-1]


async def count_replies(db: AsyncSession, conversation_id: ConversationId) -> int:
    """Number of answers from a model."""
    query = select(func.count()).select_from(ChatMessageRow)
    by_model = ChatMessageRow.role == ChatRole.ASSISTANT
    return await db.scalar(query.where(_is_of(conversation_id), by_model)) or 0


async def unanswered(db: AsyncSession, *, since: float, limit: int) -> list[MessageId]:
    """Messages of people that have no reply and started no solve."""
    other = _MESSAGES.alias("answer")
    answer = select(other.c.id).where(other.c.reply_to == ChatMessageRow.id)
    query = select(ChatMessageRow.id).where(
        ChatMessageRow.role == ChatRole.USER,
        ChatMessageRow.at >= since,
        ChatMessageRow.solve_id.is_(None),
        ~answer.exists(),
    )
    return list(await db.scalars(query.order_by(ChatMessageRow.id).limit(limit)))


async def posted_milestones(db: AsyncSession, solve_id: SolveId) -> set[str | None]:
    """Milestones of the solve that are posted."""
    query = select(ChatMessageRow.milestone).where(ChatMessageRow.solve_id == solve_id)
    return set(await db.scalars(query))


async def timeline(db: AsyncSession, solve_id: SolveId, kinds: Collection[str]) -> list[EventRow]:
    query = select(EventRow).where(EventRow.solve_id == solve_id, EventRow.kind.in_(list(kinds)))
    return list(await db.scalars(query.order_by(EventRow.id)))


async def with_unposted_milestones(
    db: AsyncSession, conversation_id: ConversationId | None = None, *, limit: int
) -> list[SolveId]:
    """Solves of this or any conversation that may have milestones to post."""
    known = select(_MESSAGES.c.id).where(
        _MESSAGES.c.solve_id == SolveRow.id, _MESSAGES.c.milestone == SolveRow.state
    )
    # A run may pass without a change of the solve's state.
    is_open = SolveRow.state == SolveState.RUNNING
    query = select(SolveRow.id).join(
        ConversationRow, SolveRow.conversation_id == ConversationRow.id
    )
    query = query.where(is_open | ~known.exists())
    if conversation_id is not None:
        query = query.where(SolveRow.conversation_id == conversation_id)
    return list(await db.scalars(query.order_by(SolveRow.created_at).limit(limit)))


def _is_of(conversation_id: ConversationId) -> ColumnElement[bool]:
    return ChatMessageRow.conversation_id == conversation_id
