"""Conversations: messages between people and the service, and the solves started there."""

import re
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.submit import Submitter, default_matrix
from yudai.artifacts.context import Context
from yudai.conversations import queries as conversations
from yudai.conversations.answer import ChatAnswerer, to_message
from yudai.conversations.domain.conversation import (
    MAX_TITLE,
    ChatRole,
    Conversation,
    ConversationPage,
    MessagePage,
    Posted,
    checked_text,
)
from yudai.conversations.domain.requests import ConversationAsk, IssueAsk, check_place, from_issue
from yudai.conversations.milestones import post_all_milestones, post_milestones
from yudai.conversations.tables import ChatMessageRow, ConversationRow
from yudai.engine.port import Engine
from yudai.kit.errors import ConflictError, InfrastructureError, NotFoundError, RefusedError
from yudai.kit.ids import ConversationId, MessageId, SolveId, short
from yudai.kit.value import from_attributes
from yudai.solves import idempotency
from yudai.solves import queries as solves
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.slash_command import (
    Place,
    SolveCommand,
    from_command,
    is_command,
    parse_command,
)
from yudai.solves.idempotency import IdempotencyKey, KeyReusedError, KeyTakenError
from yudai.solves.queries import issue_of
from yudai.store.outages import StoreAwayError
from yudai.views.solve_queries import Which
from yudai.views.solves import SolveSummary, solve_page

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MAX_PAGE = 200
_MAX_SOLVES = 100
_CURSOR = re.compile("[0-9]{1,18}")


class ConversationDetail(Conversation):
    solves: tuple[SolveSummary, ...]
    """Newest first."""


class _NewMessage(NamedTuple):
    """A message that is not stored yet."""

    conversation: ConversationRow
    text: str
    at: float
    key: IdempotencyKey | None


@dataclass(frozen=True)
class Conversations:
    context: Context
    engine: Engine
    submitter: Submitter
    answerer: ChatAnswerer

    async def create(
        self, ask: ConversationAsk, *, user_id: str, key: IdempotencyKey | None = None
    ) -> Conversation:
        check_place(Place(ask.repo_url, ask.repo_path))
        row = ConversationRow(
            id=ConversationId(self.context.clock.new_id()),
            user_id=user_id,
            title=ask.title.strip(),
            repo_url=ask.repo_url,
            repo_path=ask.repo_path,
            created_at=self.context.clock.now(),
        )
        try:
            async with self.context.store.change() as db:
                if earlier := await idempotency.find(db, user_id, key):
                    return to_conversation(await conversations.get(db, earlier, user_id=user_id))
                await conversations.add(db, row)
                if ask.solve_id:
                    await _take(db, row, SolveId(ask.solve_id))
                await idempotency.keep(db, user_id, key, resource_id=row.id, at=row.created_at)
        except KeyTakenError:
            # Sent twice at the same moment: the other request has committed.
            return await self.create(ask, user_id=user_id, key=key)
        return to_conversation(row)

    async def page(self, *, user_id: str, limit: int, cursor: str = "") -> ConversationPage:
        """Newest first; the cursor is the last conversation of the page before."""
        async with self.context.store.read() as db:
            seen = await conversations.find(db, cursor, user_id=user_id) if cursor else None
            rows = await conversations.page(db, user_id=user_id, limit=limit + 1, seen=seen)
        return ConversationPage(
            conversations=tuple(map(to_conversation, rows[:limit])),
            cursor=rows[limit - 1].id if len(rows) > limit else None,
            reset=bool(cursor) and seen is None,
        )

    async def read(self, conversation_id: ConversationId, *, user_id: str) -> ConversationDetail:
        row = await self._get(conversation_id, user_id)
        which = Which(user_id, conversation_id=row.id)
        page = await solve_page(self.context, which, limit=_MAX_SOLVES)
        return ConversationDetail(**dict(to_conversation(row)), solves=page.solves)

    async def messages(
        self,
        conversation_id: ConversationId,
        *,
        user_id: str,
        limit: int,
        after: str = "",
        before: str = "",
    ) -> MessagePage:
        """The newest messages, or those next to a cursor. An unknown cursor means the newest."""
        if after and before:
            raise RefusedError("choose one of after and before")
        await self._get(conversation_id, user_id)
        await post_all_milestones(self.context.store, conversation_id)
        async with self.context.store.read() as db:
            newest = await conversations.newest(db, conversation_id)
            cursor = _number(after or before, most=newest if after else None)
            if after and cursor is not None:
                rows = await conversations.messages_after(
                    db, conversation_id, cursor, limit=limit + 1
                )
                return _newer(rows, limit, cursor)
            rows = await conversations.messages_before(db, conversation_id, cursor, limit=limit + 1)
        return _older(rows, limit, cursor, reset=bool(after or before) and cursor is None)

    async def post(
        self,
        conversation_id: ConversationId,
        text: str,
        *,
        user_id: str,
        key: IdempotencyKey | None = None,
    ) -> Posted:
        """Store a person's message and execute it if it is a command; then have it answered."""
        text = checked_text(text)
        conversation = await self._get(conversation_id, user_id)
        # Milestones reached before the message come before it.
        await post_all_milestones(self.context.store, conversation_id)
        new = _NewMessage(conversation, text, self.context.clock.now(), key)
        message = await self._earlier(new) or await self._take(new)
        await self._follow_up(message)
        return Posted(message=to_message(message), solve_id=message.solve_id)

    async def solve_issue(
        self,
        conversation_id: ConversationId,
        number: int,
        body: IssueAsk,
        *,
        user_id: str,
        key: IdempotencyKey | None = None,
    ) -> SolveId:
        conversation = await self._get(conversation_id, user_id)
        matrix = body.matrix or (Matrix() if body.patches else await self._default_matrix())
        ask = from_issue(body, number, place=_place(conversation), matrix=matrix)
        submitted = await self.submitter.submit(
            ask, user_id=user_id, conversation_id=conversation_id, key=key
        )
        await post_milestones(self.context.store, submitted.solve_id)
        return submitted.solve_id

    async def _get(self, conversation_id: ConversationId, user_id: str) -> ConversationRow:
        async with self.context.store.read() as db:
            return await conversations.get(db, conversation_id, user_id=user_id)

    async def _earlier(self, new: _NewMessage) -> ChatMessageRow | None:
        async with self.context.store.read() as db:
            earlier = await idempotency.find(db, new.conversation.user_id, new.key)
            return await conversations.message(db, MessageId(int(earlier))) if earlier else None

    async def _take(self, new: _NewMessage) -> ChatMessageRow:
        try:
            if is_command(new.text):
                return await self._carry_out(new)
            async with self.context.store.change() as db:
                return await self._write(db, new)
        except KeyTakenError:
            # Sent twice at the same moment: the other request has committed.
            if earlier := await self._earlier(new):
                return earlier
            raise

    async def _write(
        self, db: AsyncSession, new: _NewMessage, solve_id: SolveId | None = None
    ) -> ChatMessageRow:
        of, user_id = new.conversation.id, new.conversation.user_id
        row = ChatMessageRow(
            conversation_id=of, role=ChatRole.USER, text=new.text, at=new.at, solve_id=solve_id
        )
        # Add the message before the key: a request with the same key has then committed.
        await conversations.add_message(db, row)
        made = str(row.id)
        await idempotency.keep(db, user_id, new.key, resource_id=made, at=self.context.clock.now())
        return row

    async def _carry_out(self, new: _NewMessage) -> ChatMessageRow:
        """Execute a command; its message is committed together with its solve or refusal."""
        written: list[ChatMessageRow] = []

        async def also(db: AsyncSession, solve_id: SolveId) -> None:
            written.append(await self._write(db, new, solve_id))

        of = new.conversation
        try:
            ask = await self._ask(of, parse_command(new.text))
            await self.submitter.submit(ask, user_id=of.user_id, conversation_id=of.id, also=also)
        except (KeyTakenError, KeyReusedError, StoreAwayError):
            # Not refusals: the message exists, or its state is unknown.
            raise
        except (RefusedError, InfrastructureError) as error:
            return await self._refuse(new, error.over_http())
        return written[0]

    async def _refuse(self, new: _NewMessage, why: str) -> ChatMessageRow:
        async with self.context.store.change() as db:
            message = await self._write(db, new)
            await conversations.add_once(
                db,
                message.conversation_id,
                role=ChatRole.YUDAI,
                text=f"Nothing was started: {why}",
                at=self.context.clock.now(),
                reply_to=message.id,
            )
        return message

    async def _follow_up(self, message: ChatMessageRow) -> None:
        """Post milestones or have the message answered. Idempotent."""
        if message.solve_id is not None:
            await post_milestones(self.context.store, message.solve_id)
        elif not await self._is_answered(message.id):
            await self._have_answered(message.id)

    async def _is_answered(self, message_id: MessageId) -> bool:
        async with self.context.store.read() as db:
            return await conversations.reply(db, message_id) is not None

    async def _have_answered(self, message_id: MessageId) -> None:
        if not self.answerer.has_model:
            await self.answerer.answer(message_id)
            return
        try:
            await self.engine.answer(message_id)
        except Exception as error:  # noqa: BLE001 - `queue_unanswered` tries again
            log.warning("answer.not_asked_yet", message_id=message_id, error=repr(error))

    async def _ask(self, conversation: ConversationRow, command: SolveCommand) -> SolveAsk:
        matrix = Matrix(models=command.models) if command.models else await self._default_matrix()
        return from_command(command, place=_place(conversation), matrix=matrix)

    async def _default_matrix(self) -> Matrix:
        return await default_matrix(self.submitter.catalogue, self.answerer.chat_model)


def to_conversation(row: ConversationRow) -> Conversation:
    return from_attributes(Conversation, row)


async def _take(db: AsyncSession, row: ConversationRow, solve_id: SolveId) -> None:
    """Attach a solve that was opened without a conversation."""
    solve = await solves.hold(db, solve_id)
    if solve.user_id != row.user_id:
        raise NotFoundError(f"there is no solve {solve_id}")
    if solve.conversation_id is not None:
        raise ConflictError(
            f"solve {short(solve_id)} has a conversation already: {solve.conversation_id}",
            state=solve.state,
        )
    row.title = row.title or issue_of(solve).label[:MAX_TITLE]
    if not row.repo_url and not row.repo_path:
        row.repo_url = solve.repo_url
        row.repo_path = str(solve.snapshot.root) if solve.snapshot else ""
    await solves.change(db, solve_id, conversation_id=row.id)


def _place(conversation: ConversationRow) -> Place:
    return Place(conversation.repo_url, conversation.repo_path)


def _number(cursor: str, *, most: int | None) -> int | None:
    number = int(cursor) if _CURSOR.fullmatch(cursor) else None
    is_ahead = number is not None and most is not None and number > most
    return None if is_ahead else number


def _newer(rows: list[ChatMessageRow], limit: int, cursor: int) -> MessagePage:
    shown = rows[:limit]
    return MessagePage(
        messages=tuple(map(to_message, shown)),
        # Messages before the cursor have been seen.
        before=str(shown[0].id) if shown else str(cursor + 1),
        after=str(shown[-1].id if shown else cursor),
        more=len(rows) > limit,
    )


def _older(
    rows: list[ChatMessageRow], limit: int, cursor: int | None, *, reset: bool
) -> MessagePage:
    shown = rows[-limit:]
    more = len(rows) > limit
    last = shown[-1].id if shown else (cursor or 1) - 1
    return MessagePage(
        messages=tuple(map(to_message, shown)),
        before=str(shown[0].id) if more else None,
        after=str(max(0, last)),
        more=more,
        reset=reset,
    )
