"""Answers messages of a conversation with a model that is given the facts of its solves."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple

import structlog

from yudai.artifacts.context import Context
from yudai.conversations import queries as conversations
from yudai.conversations.domain.conversation import MAX_TEXT, ChatMessage, ChatRole
from yudai.conversations.domain.prompt import MIN_BYTES, messages_for
from yudai.conversations.tables import ChatMessageRow
from yudai.engine.port import Engine
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import TOKENS_PER_PRICE, Model, Price
from yudai.gateway.port import Call, Completion, Gateway
from yudai.kit.clock import Clock
from yudai.kit.errors import InfrastructureError, RefusedError
from yudai.kit.ids import MessageId
from yudai.kit.money import usd
from yudai.kit.text import cut, line
from yudai.runs.spending.metered_gateway import charge
from yudai.runs.spending.run_cap import USEFUL_OUTPUT_TOKENS, Quote
from yudai.solves.domain.slash_command import is_command
from yudai.store.outages import retry_while_away
from yudai.store.store import Store
from yudai.views.documents import document
from yudai.views.domain.document import SolveDocument

log: structlog.stdlib.BoundLogger = structlog.get_logger()

NO_MODEL = (
    "No model is configured to answer: set CHAT_MODEL to the name of one, as in"
    " `CHAT_MODEL=gpt-4.1-mini`, and start the service again. `/solve` works without it."
)
_TEMPERATURE = 0.2
_OUTPUT_TOKENS = 4096
_MAX_PROMPT = 16_000
# Tokens that chat template and provider add to two messages.
_FRAME = 256
_MAX_WHY = 300
_MOST_REMINDED = 100
# An answer that failed for an hour is not queued again.
_REMINDED_S = 3600.0
_SOLVES = 3
_SAID = 20


KEEPING_S = 600.0


class _Question(NamedTuple):
    message: ChatMessageRow
    said: Sequence[ChatMessage]
    """Earlier messages, oldest first."""
    documents: Sequence[SolveDocument]
    turn: int


class _Reply(NamedTuple):
    role: ChatRole
    text: str
    cost_micros: int = 0


@dataclass(frozen=True)
class ChatAnswerer:
    context: Context
    catalogue: Catalogue
    gateway: Gateway
    chat_model: str | None
    cap_micros: int = 100_000
    """The most that one answer may cost."""
    patience_s: float = 120.0

    @property
    def has_model(self) -> bool:
        return bool(self.chat_model)

    async def answer(self, message_id: MessageId) -> None:
        """Reply once, also to report a failure. Nothing when there is a reply or no question."""
        question = await self._question(message_id)
        if question is None:
            return
        reply = await self._reply(question)
        # The reply is paid for: wait for the database instead of calling the model again.
        await retry_while_away(partial(self._keep, question, reply), KEEPING_S)

    async def _keep(self, question: _Question, reply: _Reply) -> None:
        async with self.context.store.change() as db:
            await conversations.add_once(
                db,
                question.message.conversation_id,
                role=reply.role,
                text=cut(reply.text, limit=MAX_TEXT).text,
                at=self.context.clock.now(),
                reply_to=question.message.id,
                cost_micros=reply.cost_micros,
            )

    async def _question(self, message_id: MessageId) -> _Question | None:
        async with self.context.store.read() as db:
            message = await conversations.message(db, message_id)
            if message is None or not _wants_answer(message):
                return None
            if await conversations.reply(db, message_id) is not None:
                return None
            of = message.conversation_id
            earlier = await conversations.messages_before(db, of, message_id, limit=_SAID)
            turn = await conversations.count_replies(db, of)
            recent = await conversations.recent_solves(db, of, limit=_SOLVES)
        documents = [await document(self.context, solve_id) for solve_id in recent]
        return _Question(message, [to_message(row) for row in earlier], documents, turn)

    async def _reply(self, question: _Question) -> _Reply:
        if not self.chat_model:
            return _Reply(ChatRole.YUDAI, NO_MODEL)
        try:
            [model] = await self.catalogue.resolve([self.chat_model])
            self.gateway.check(model)
            call = self._call(model, question)
        except RefusedError as error:
            return _no_answer(self.chat_model, error)
        try:
            async with asyncio.timeout(self.patience_s):
                completion = await self.gateway.complete(call)
        except TimeoutError:
            return _no_answer(model.name, f"it took longer than {self.patience_s:g} s")
        except (InfrastructureError, RefusedError) as error:
            return _no_answer(model.name, error)
        except Exception:
            # Do not let the engine retry: it would fail again, and each try costs.
            log.exception("answer.failed", message_id=question.message.id)
            return _no_answer(model.name, "Yudai failed; this is our fault, and its log says why")
        return _answered(model, completion)

    def _call(self, model: Model, question: _Question) -> Call:
        """The call, bounded so that it costs at most the cap."""
        price = _price(model)
        limit = min(_MAX_PROMPT, _affordable_bytes(price, self.cap_micros))
        if limit < MIN_BYTES:
            raise RefusedError(
                f"it costs more than the limit for an answer, ${usd(self.cap_micros):g}:"
                " set CHAT_MODEL to a cheaper one"
            )
        messages = messages_for(
            question.message.text,
            said=question.said,
            documents=question.documents,
            instructions=_instructions(),
            token=self.context.clock.token(),
            limit=limit,
        )
        quote = Quote(limit + _FRAME, _OUTPUT_TOKENS, price).within(self.cap_micros)
        return Call(
            model=model.model_id,
            provider=model.provider,
            temperature=_TEMPERATURE,
            messages=messages,
            tools=[],
            turn=question.turn,
            max_output_tokens=quote.output_tokens,
        )


async def queue_unanswered(store: Store, engine: Engine, clock: Clock) -> int:
    """Queue messages whose process died before it queued their answer; return how many."""
    since = clock.now() - _REMINDED_S
    async with store.read() as db:
        found = await conversations.unanswered(db, since=since, limit=_MOST_REMINDED)
    for message_id in found:
        await engine.answer(message_id)
    return len(found)


def to_message(row: ChatMessageRow) -> ChatMessage:
    message = ChatMessage.model_validate(row, from_attributes=True)
    return message.model_copy(update={"cost_usd": usd(row.cost_micros)})


def _wants_answer(message: ChatMessageRow) -> bool:
    return message.role is ChatRole.USER and not is_command(message.text)


def _price(model: Model) -> Price:
    if model.price is None:
        raise RefusedError("its price is not known")
    return model.price


def _affordable_bytes(price: Price, cap_micros: int) -> int:
    """Bytes of a prompt that leaves money for a useful reply; a byte is at most one token."""
    if not price.input_micros:
        return _MAX_PROMPT
    left = cap_micros - Quote(_FRAME, USEFUL_OUTPUT_TOKENS, price).micros
    # Providers may charge a quarter more for input that they write to their cache.
    return max(0, left * TOKENS_PER_PRICE * 4 // (5 * price.input_micros) - 1)


def _answered(model: Model, completion: Completion) -> _Reply:
    cost = charge(completion, _price(model))
    if completion.content.strip():
        return _Reply(ChatRole.ASSISTANT, completion.content.strip(), cost)
    why = f"it said nothing (finish reason {completion.finish_reason or 'unknown'})"
    return _no_answer(model.name, why)._replace(cost_micros=cost)


def _no_answer(name: str, why: object) -> _Reply:
    return _Reply(ChatRole.YUDAI, f"{name} gave no answer: {line(str(why), width=_MAX_WHY)}")


@cache
def _instructions() -> str:
    return (files("yudai.conversations") / "answer.md").read_text("utf-8").strip()
