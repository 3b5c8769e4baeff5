import asyncio

import pytest

from tests.support.conversation_rows import HERE, OTHER, ChatRows
from tests.support.solve_rows import SOLVE
from yudai.conversations import queries as conversations
from yudai.conversations.domain.conversation import ChatRole
from yudai.conversations.tables import ChatMessageRow
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import LOCAL_USER, ConversationId
from yudai.store.store import Store


@pytest.fixture
def chat_rows(store: Store) -> ChatRows:
    return ChatRows(store)


async def test_conversations_come_page_by_page_newest_first(chat_rows: ChatRows) -> None:
    # Equal times are told apart by their ids.
    for number, at in enumerate((1.0, 2.0, 2.0, 2.0, 3.0)):
        await chat_rows.open(ConversationId(f"c{number}"), created_at=at)
    await chat_rows.open(ConversationId("theirs"), created_at=9.0, user_id="somebody")
    async with chat_rows.store.read() as db:
        first = await conversations.page(db, user_id=LOCAL_USER, limit=2)
        rest = await conversations.page(db, user_id=LOCAL_USER, limit=9, seen=first[-1])
        theirs = await conversations.page(db, user_id="somebody", limit=9)
    assert [row.id for row in first + rest] == ["c4", "c3", "c2", "c1", "c0"]
    assert [row.id for row in theirs] == ["theirs"]


@pytest.mark.parametrize("name", ["", "nothing", HERE[:-1], "\x00", "ü", "%", "theirs"])
async def test_only_ones_own_by_its_whole_id(chat_rows: ChatRows, name: str) -> None:
    await chat_rows.open()
    await chat_rows.open(ConversationId("theirs"), user_id="somebody")
    async with chat_rows.store.read() as db:
        assert (await conversations.get(db, HERE, user_id=LOCAL_USER)).id == HERE
        assert await conversations.find(db, name, user_id=LOCAL_USER) is None
        with pytest.raises(NotFoundError, match="there is no conversation"):
            await conversations.get(db, name, user_id=LOCAL_USER)


async def test_messages_are_read_in_both_directions(chat_rows: ChatRows) -> None:
    await chat_rows.open()
    await chat_rows.open(OTHER)
    ids = [await chat_rows.say(str(number)) for number in range(5)]
    await chat_rows.say("elsewhere", conversation_id=OTHER)
    async with chat_rows.store.read() as db:
        tail = await conversations.messages_before(db, HERE, None, limit=2)
        older = await conversations.messages_before(db, HERE, tail[0].id, limit=2)
        newer = await conversations.messages_after(db, HERE, ids[1], limit=2)
        assert await conversations.newest(db, HERE) == ids[-1]
        assert await conversations.newest(db, ConversationId("none")) == 0
    assert [row.text for row in older + tail] == ["1", "2", "3", "4"]
    assert [row.text for row in newer] == ["2", "3"]


async def test_a_milestone_and_a_reply_are_there_once(chat_rows: ChatRows) -> None:
    await chat_rows.open()
    await chat_rows.solve()
    question = await chat_rows.say("why?")
    for column in ({"solve_id": SOLVE, "milestone": "queued"}, {"reply_to": question}):
        kept: list[bool] = []
        for text in ("first", "second"):
            async with chat_rows.store.change() as db:
                kept.append(
                    await conversations.add_once(
                        db, HERE, role=ChatRole.YUDAI, text=text, at=1.0, **column
                    )
                )
        assert kept == [True, False]
    said = await chat_rows.said()
    assert [message.text for message in said] == ["why?", "first", "first"]
    assert said[-1].reply_to == question
    async with chat_rows.store.read() as db:
        assert await conversations.posted_milestones(db, SOLVE) == {"queued"}
        reply = await conversations.reply(db, question)
        assert reply is not None
        assert (reply.text, reply.links, reply.cost_micros) == ("first", {}, 0)


async def test_a_reader_with_a_cursor_misses_no_message(url: str, chat_rows: ChatRows) -> None:
    """Two stores stand for two processes that add messages in transactions that overlap."""
    await chat_rows.open()

    async def add(writer: Store, text: str) -> None:
        for _ in range(8):
            async with writer.change() as db:
                for _ in range(2):
                    row = ChatMessageRow(
                        conversation_id=HERE, role=ChatRole.USER, text=text, at=1.0
                    )
                    await conversations.add_message(db, row)
                    await asyncio.sleep(0)

    async def read(until: asyncio.Future[None]) -> list[int]:
        seen: list[int] = []
        is_last = False
        while not is_last:
            is_last = until.done()
            async with chat_rows.store.read() as db:
                cursor = seen[-1] if seen else 0
                rows = await conversations.messages_after(db, HERE, cursor, limit=1000)
                seen += [row.id for row in rows]
        return seen

    ended = asyncio.get_running_loop().create_future()
    reading = asyncio.create_task(read(ended))
    async with await Store.open(url) as other, asyncio.TaskGroup() as group:
        for writer, text in (
            (chat_rows.store, "a"),
            (other, "b"),
            (chat_rows.store, "c"),
            (other, "d"),
        ):
            group.create_task(add(writer, text))
    ended.set_result(None)
    assert await reading == [message.id for message in await chat_rows.said()]
    assert len(await reading) == 64


async def test_what_no_one_has_answered(chat_rows: ChatRows) -> None:
    await chat_rows.open()
    await chat_rows.say("too old", at=1.0)
    answered = await chat_rows.say("answered")
    await chat_rows.say("an answer", role=ChatRole.ASSISTANT, reply_to=answered)
    await chat_rows.say("/solve #12", solve_id=await chat_rows.solve())
    refused = await chat_rows.say("/slove #12")
    await chat_rows.say("there is no command", role=ChatRole.YUDAI, reply_to=refused)
    open_ones = [await chat_rows.say("open"), await chat_rows.say("/usr/bin/python fails")]
    async with chat_rows.store.read() as db:
        assert await conversations.unanswered(db, since=2.0, limit=9) == open_ones
        assert await conversations.unanswered(db, since=2.0, limit=1) == open_ones[:1]
        assert await conversations.count_replies(db, HERE) == 1
