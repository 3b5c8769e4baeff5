"""Posting, reading, and starting solves from a conversation, with the real submitter."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio

from tests.support.api_client import UNCALLABLE, Place, RecordingEngine, open_place
from tests.support.conversation_rows import ChatRows, texts
from tests.support.servers.databases import Kind
from yudai.arena.cancel import Stopper
from yudai.arena.submit import default_matrix
from yudai.conversations import queries as conversations
from yudai.conversations.answer import queue_unanswered
from yudai.conversations.domain.conversation import (
    MAX_TEXT,
    ChatRole,
    Conversation,
    MessagePage,
    Milestone,
)
from yudai.conversations.domain.requests import ConversationAsk, IssueAsk
from yudai.conversations.milestones import post_all_milestones
from yudai.conversations.service import Conversations
from yudai.gateway.catalogue import Catalogue, ModelChange
from yudai.gateway.domain.models import price_in_dollars
from yudai.gateway.domain.routing import Routes
from yudai.kit.clock import SystemClock
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId, short
from yudai.operations.sweep import Sweeper
from yudai.solves import idempotency
from yudai.solves import queries as solves
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.request import Limits
from yudai.solves.domain.strategies import Strategy
from yudai.solves.idempotency import IdempotencyKey, KeyReusedError
from yudai.solves.tables import SolveRow
from yudai.store.outages import StoreAwayError

BOTH = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"])
URL = "https://github.com/owner/repo"
ME: Any = {"user_id": LOCAL_USER}


class Crash(BaseException):
    """Nobody catches it, as nobody outlives a kill."""


async def crash(*_: object, **__: object) -> None:
    raise Crash


class Later(SystemClock):
    def now(self) -> float:
        return super().now() + 60


class Talk:
    """One conversation about a repository at a forge."""

    def __init__(self, place: Place, engine: RecordingEngine, made: Conversation) -> None:
        self.place = place
        self.engine = engine
        self.made = made
        self.conversations = place.conversations
        self.chat_rows = ChatRows(place.context.store)

    async def post(self, text: str, **more: Any) -> SolveId | None:
        return (await self.conversations.post(self.made.id, text, **ME, **more)).solve_id

    async def page(self, **cursor: Any) -> MessagePage:
        cursor.setdefault("limit", 50)
        return await self.conversations.messages(self.made.id, **ME, **cursor)

    async def said(self) -> list[str]:
        return texts((await self.page()).messages)

    async def solve(self, solve_id: SolveId | None) -> SolveRow:
        assert solve_id is not None
        async with self.place.context.store.read() as db:
            return await solves.get(db, solve_id)

    async def restart(self) -> None:
        """What a worker does that finds what a dead process has left, a minute later."""
        store, engine, clock = self.place.context.store, self.engine, Later()
        chores = (
            partial(post_all_milestones, store),
            partial(queue_unanswered, store, engine, clock),
        )
        await Sweeper(store, clock, engine, Stopper(store, clock), chores=chores).sweep()

    def with_model(self, name: str) -> "Talk":
        answerer = replace(self.conversations.answerer, chat_model=name)
        self.conversations = replace(self.conversations, answerer=answerer)
        return self


@pytest.fixture
def database_kind() -> Kind:
    """Both where databases differ, else the quick one."""
    return "sqlite"


@pytest_asyncio.fixture
async def talk(tmp_path: Path, database_url: str) -> AsyncGenerator[Talk]:
    engine = RecordingEngine()
    async with open_place(tmp_path / "home", database_url, engine) as place:
        made = await place.conversations.create(
            ConversationAsk(title="  Sums ", repo_url=URL), **ME
        )
        yield Talk(place, engine, made)


def key(name: str, fingerprint: str = "same") -> IdempotencyKey:
    return IdempotencyKey(key=name, fingerprint=fingerprint)


def without(conversations: Conversations, **routes: bool) -> Conversations:
    submitter = conversations.submitter
    context = conversations.context
    catalogue = Catalogue(context.store, context.clock, Routes(**routes))
    return replace(conversations, submitter=replace(submitter, catalogue=catalogue))


async def test_a_conversation_is_read_with_its_solves(talk: Talk) -> None:
    assert talk.made.title == "Sums"
    first = await talk.post("/solve #12 model=o3")
    second = await talk.post("/solve It is slow model=o3 strategy=balanced,test-first")
    detail = await talk.conversations.read(talk.made.id, **ME)
    assert detail.repo_url == URL
    assert [(line.id, line.issue[:3], line.progress.total) for line in detail.solves] == [
        (second, "It ", 2),
        (first, "#12", 1),
    ]
    assert {(line.state, line.champion) for line in detail.solves} == {("queued", None)}


async def test_solves_of_others_are_not_shown(talk: Talk) -> None:
    other = await talk.conversations.create(ConversationAsk(repo_url=URL), **ME)
    await talk.post("/solve #12 model=o3")
    assert (await talk.conversations.read(other.id, **ME)).solves == ()


async def test_a_place_that_cannot_be_a_repository_is_refused(talk: Talk) -> None:
    for repo in (
        {"repo_url": "ftp://host/a/b"},
        {"repo_url": "https://me:secret@github.com/owner/repo"},
        {"repo_path": "relative"},
        {"repo_url": URL, "repo_path": "/here"},
    ):
        with pytest.raises(RefusedError):
            await talk.conversations.create(ConversationAsk(**repo), **ME)


async def test_another_persons_conversation_is_not_there(talk: Talk) -> None:
    they: Any = {"user_id": "somebody"}
    here, at = talk.conversations, talk.made.id
    for attempt in (
        here.read(at, **they),
        here.messages(at, **they, limit=1),
        here.post(at, "hello", **they),
        here.solve_issue(at, 1, IssueAsk(), **they),
    ):
        with pytest.raises(NotFoundError):
            await attempt
    assert (await here.page(**they, limit=9)).conversations == ()
    assert await talk.said() == []


async def test_a_list_goes_on_from_its_cursor_and_begins_again_from_a_bad_one(talk: Talk) -> None:
    made = [talk.made] + [
        await talk.conversations.create(ConversationAsk(title=str(n)), **ME) for n in range(2)
    ]
    first = await talk.conversations.page(**ME, limit=2)
    assert first.cursor == made[1].id
    rest = await talk.conversations.page(**ME, limit=2, cursor=made[1].id)
    assert (*first.conversations, *rest.conversations) == tuple(reversed(made))
    assert (rest.cursor, rest.reset) == (None, False)
    for bad in ("nonsense", "\x00", "0190a000-0000-7000-8000-0000000c9999"):
        again = await talk.conversations.page(**ME, limit=2, cursor=bad)
        assert (again.conversations, again.reset) == (first.conversations, True)


async def test_messages_go_on_in_both_directions(talk: Talk) -> None:
    empty = await talk.page()
    assert (empty.messages, empty.before, empty.after, empty.more) == ((), None, "0", False)
    ids = [await talk.chat_rows.say(str(n), conversation_id=talk.made.id) for n in range(5)]
    tail = await talk.page(limit=2)
    assert (texts(tail.messages), tail.more) == (["3", "4"], True)
    older = await talk.page(limit=2, before=tail.before)
    assert (texts(older.messages), older.before) == (["1", "2"], str(ids[1]))
    oldest = await talk.page(limit=2, before=older.before)
    assert (texts(oldest.messages), oldest.before, oldest.more) == (["0"], None, False)
    assert (await talk.page(after=tail.after)).messages == ()
    newer = await talk.page(limit=3, after=empty.after)
    assert (texts(newer.messages), newer.more) == (["0", "1", "2"], True)
    rest = await talk.page(limit=3, after=newer.after)
    assert (texts(rest.messages), rest.more, rest.after) == (["3", "4"], False, tail.after)


async def test_a_cursor_that_leads_nowhere_means_the_newest(talk: Talk) -> None:
    await talk.chat_rows.say("hello", conversation_id=talk.made.id)
    for cursor in ("x", "-1", "9" * 30, "999999", "1.5", "\x00", "²"):
        page = await talk.page(after=cursor)
        assert (texts(page.messages), page.reset) == (["hello"], True)
        assert (await talk.page(after=page.after)).reset is False
    for cursor in ("x", "\x00", "²"):
        page = await talk.page(before=cursor)
        assert (texts(page.messages), page.reset) == (["hello"], True)


async def test_two_cursors_are_refused(talk: Talk) -> None:
    with pytest.raises(RefusedError, match="choose one"):
        await talk.page(after="1", before="2")


async def test_empty_and_endless_messages_are_refused(talk: Talk) -> None:
    for text in ("", " \n\t", "ü" * (MAX_TEXT // 2 + 1)):
        with pytest.raises(RefusedError):
            await talk.post(text)
    assert await talk.said() == []


async def test_without_a_model_the_answer_comes_at_once(talk: Talk) -> None:
    assert await talk.post(" Why\x00? ") is None
    page = await talk.page()
    assert texts(page.messages)[0] == "Why\ufffd?"
    assert "CHAT_MODEL" in page.messages[1].text
    assert page.messages[1].reply_to == page.messages[0].id
    assert talk.engine.answered == []


async def test_with_a_model_the_engine_is_asked(talk: Talk) -> None:
    posted = await talk.with_model("o3").conversations.post(talk.made.id, "Why?", **ME)
    assert talk.engine.answered == [posted.message.id]
    assert (posted.message.role, posted.message.text) == (ChatRole.USER, "Why?")
    assert await talk.said() == ["Why?"]


async def test_an_engine_that_is_away_is_asked_again_later(talk: Talk) -> None:
    talk.with_model("o3").engine.broken = ConnectionError("away")
    posted = await talk.conversations.post(talk.made.id, "Why?", **ME)
    talk.engine.broken = None
    place = talk.place
    assert await queue_unanswered(place.context.store, talk.engine, place.context.clock) == 1
    assert talk.engine.answered == [posted.message.id]
    await talk.conversations.answerer.answer(posted.message.id)
    assert await queue_unanswered(place.context.store, talk.engine, place.context.clock) == 0


@BOTH
async def test_a_solve_is_started_by_a_message(talk: Talk) -> None:
    text = "/solve #12 model=gpt-4.1,o3 temp=0.2,0.6 strategy=test-first parallel=3 budget=2.50"
    solve = await talk.solve(await talk.post(text))
    assert (solve.conversation_id, solve.repo_url, solve.issue_number) == (talk.made.id, URL, 12)
    assert solve.matrix == Matrix(
        models=("openai/gpt-4.1", "openai/o3"),
        temperatures=(0.2, 0.6),
        strategies=(Strategy.TEST_FIRST,),
    )
    assert (solve.budget.max_parallel, solve.budget.cost_cap_micros) == (3, 2_500_000)
    assert talk.engine.started == [solve.id]
    asked, queued = (await talk.page()).messages
    assert (asked.text, asked.solve_id, asked.milestone) == (text, solve.id, None)
    assert (queued.milestone, queued.solve_id) == (Milestone.QUEUED, solve.id)
    assert queued.text == f"Solve {short(solve.id)} (#12) is queued: 4 contestants."


async def test_an_issue_in_words_and_an_address_of_another_repository(talk: Talk) -> None:
    words = await talk.solve(await talk.post("/solve Sums are wrong model=o3\n\nadd(1, 2) is 4"))
    assert (words.issue_title, words.issue_body) == ("Sums are wrong", "add(1, 2) is 4")
    assert (words.issue_number, words.repo_url) == (None, URL)
    other = await talk.solve(await talk.post(f"/solve {URL}2/issues/7 model=o3"))
    assert (other.repo_url, other.issue_number) == (f"{URL}2", 7)


async def test_what_cannot_be_started_is_answered_with_the_reason(talk: Talk) -> None:
    refused = [
        ("/solve", "say what to solve"),
        ("/slove #12", "there is no command /slove"),
        ("/solve #12 temp=hot", "temp=hot: give a number from 0 to 2"),
        ("/solve #12 model=gpt-4.1-mimi", "did you mean"),
        (f"/solve #12 model={UNCALLABLE}", "price"),
        ("/solve #12 model=o3 budget=0", "the cost cap is $0"),
        (f"/solve #12 model=o3 temp={','.join(f'{n / 1000}' for n in range(1001))}", "cells"),
    ]
    for text, words in refused:
        assert await talk.post(text) is None
        asked, reply = (await talk.page()).messages[-2:]
        assert (reply.role, reply.reply_to) == (ChatRole.YUDAI, asked.id)
        assert reply.text.startswith("Nothing was started: ")
        assert words in reply.text
    assert talk.engine.started == []


async def test_a_conversation_without_a_repository_says_so(talk: Talk) -> None:
    made = await talk.conversations.create(ConversationAsk(), **ME)
    await talk.conversations.post(made.id, "/solve #12 model=o3", **ME)
    page = await talk.conversations.messages(made.id, **ME, limit=9)
    assert "this conversation has no repository to solve in" in page.messages[-1].text
    with pytest.raises(RefusedError, match="no repository"):
        await talk.conversations.solve_issue(made.id, 12, IssueAsk(), **ME)


async def test_a_folder_that_is_not_there_is_reported(talk: Talk, tmp_path: Path) -> None:
    ask = ConversationAsk(repo_path=str(tmp_path / "nowhere"))
    made = await talk.conversations.create(ask, **ME)
    await talk.conversations.post(made.id, "/solve Sums are wrong model=o3", **ME)
    page = await talk.conversations.messages(made.id, **ME, limit=9)
    assert "nowhere" in page.messages[-1].text


async def test_an_issue_is_solved_by_its_number(talk: Talk) -> None:
    body = IssueAsk(
        matrix=Matrix(models=("o3",)), limits=Limits(max_parallel=2), issue_text="Sums are wrong"
    )
    solve = await talk.solve(await talk.conversations.solve_issue(talk.made.id, 12, body, **ME))
    # The issue's own title, and the words before its own text.
    assert (solve.issue_number, solve.issue_title, solve.issue_body) == (
        12,
        "#12",
        "Sums are wrong",
    )
    assert (solve.conversation_id, solve.budget.max_parallel) == (talk.made.id, 2)
    named = f"Solve {short(solve.id)} (#12)"
    assert await talk.said() == [f"{named} is queued: 1 contestant."]
    with pytest.raises(RefusedError, match="name it once"):
        await talk.conversations.solve_issue(talk.made.id, 12, IssueAsk(issue_number=13), **ME)


async def test_without_named_models_there_are_few_and_different_contestants(talk: Talk) -> None:
    solve = await talk.solve(
        await talk.conversations.solve_issue(talk.made.id, 12, IssueAsk(), **ME)
    )
    assert len({name.partition("/")[0] for name in solve.matrix.models}) == 3
    assert await talk.post("/solve #13 strategy=minimal-fix") is not None
    assert "3 contestants" in (await talk.said())[-1]


async def test_no_endpoint_means_no_default(talk: Talk) -> None:
    here = without(talk.conversations)
    with pytest.raises(RefusedError, match="no model is configured: set OPENROUTER_API_KEY"):
        await here.solve_issue(talk.made.id, 12, IssueAsk(), **ME)
    assert (await here.post(talk.made.id, "/solve #12", **ME)).solve_id is None
    assert "no model is configured" in (await talk.said())[-1]


async def test_the_default_of_a_server_of_ones_own(talk: Talk) -> None:
    own = without(talk.conversations, local=True).submitter.catalogue
    assert (await default_matrix(own)).models == ("local-solo",)
    assert (await default_matrix(own, "gpt-4.1")).models == ("gpt-4.1",)
    price = price_in_dollars(Decimal(0), Decimal(0))
    await own.set_model("qwen3-coder", ModelChange(price=price))
    matrix = await default_matrix(own, "gpt-4.1")
    assert matrix.models == ("qwen3-coder",)
    assert len(matrix.temperatures) * len(matrix.strategies) == 4


@BOTH
async def test_a_repeated_request_is_carried_out_once(talk: Talk) -> None:
    text = "/solve #12 model=o3"
    async with asyncio.TaskGroup() as group:
        posts = [group.create_task(talk.post(text, key=key("one"))) for _ in range(5)]
    assert len({post.result() for post in posts}) == 1
    assert len(await talk.said()) == 2
    assert len(talk.engine.started) == 1
    async with asyncio.TaskGroup() as group:
        ask = ConversationAsk(title="same")
        made = [
            group.create_task(talk.conversations.create(ask, **ME, key=key("two")))
            for _ in range(5)
        ]
    assert len({each.result().id for each in made}) == 1
    body = IssueAsk(matrix=Matrix(models=("o3",)))
    async with asyncio.TaskGroup() as group:
        asked = [
            group.create_task(
                talk.conversations.solve_issue(talk.made.id, 3, body, **ME, key=key("three"))
            )
            for _ in range(5)
        ]
    assert len({each.result() for each in asked}) == 1
    for name in ("one", "two", "three"):
        with pytest.raises(KeyReusedError):
            await talk.post("another", key=key(name, "other"))


@BOTH
@pytest.mark.parametrize(
    ("text", "module", "step"),
    [
        ("/solve #12 model=o3", conversations, "add_message"),
        ("/solve #12 model=o3", idempotency, "keep"),
        ("/solve", conversations, "add_once"),
    ],
)
async def test_a_crash_before_the_commit_leaves_nothing_behind(
    talk: Talk, text: str, module: ModuleType, step: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, step, crash)
        with pytest.raises(Crash):
            await talk.post(text, key=key("one"))
    await talk.restart()
    assert await talk.said() == []
    assert (await talk.conversations.read(talk.made.id, **ME)).solves == ()
    assert talk.engine.started == []
    solve_id = await talk.post(text, key=key("one"))
    await talk.restart()
    assert len(await talk.said()) == 2
    assert talk.engine.started == ([solve_id] if solve_id else [])


@BOTH
async def test_a_crash_after_the_commit_is_made_good_once(talk: Talk) -> None:
    class Dying(RecordingEngine):
        async def start(self, solve_id: SolveId, *, user_id: str) -> None:
            await crash(solve_id, user_id)

    submitter = talk.conversations.submitter
    dying = replace(submitter, solves=replace(submitter.solves, engine=Dying()))
    with pytest.raises(Crash):
        await replace(talk.conversations, submitter=dying).post(
            talk.made.id, "/solve #12 model=o3", **ME, key=key("one")
        )
    [asked] = await talk.chat_rows.said(talk.made.id)
    assert asked.solve_id is not None
    for _ in range(2):
        await talk.restart()
    assert talk.engine.started == [asked.solve_id]
    assert [message.milestone for message in await talk.chat_rows.said(talk.made.id)] == [
        None,
        Milestone.QUEUED,
    ]
    assert await talk.post("/solve #12 model=o3", key=key("one")) == asked.solve_id
    assert talk.engine.started == [asked.solve_id]
    assert len(await talk.said()) == 2


async def test_a_database_that_goes_away_is_no_refusal(talk: Talk) -> None:
    """Perhaps it was committed: nobody may say that nothing was started."""

    async def go_away(*_: object, **__: object) -> None:
        raise StoreAwayError("away")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idempotency, "keep", go_away)
        with pytest.raises(StoreAwayError):
            await talk.post("/solve #12 model=o3", key=key("one"))
    assert await talk.said() == []


async def test_a_refusal_is_said_once(talk: Talk) -> None:
    for _ in range(2):
        assert await talk.post("/solve", key=key("one")) is None
    assert len(await talk.said()) == 2


async def test_what_happened_stands_before_what_was_said_later(talk: Talk) -> None:
    solve_id = await talk.chat_rows.solve(conversation_id=talk.made.id)
    await talk.chat_rows.play(solve_id)
    await talk.post("And now?")
    said = (await talk.page()).messages
    assert [message.milestone for message in said[:5]] == [
        Milestone.QUEUED,
        Milestone.RUNNING,
        Milestone.FIRST_PASSING_RUN,
        Milestone.CHAMPION,
        Milestone.AWAITING_REVIEW,
    ]
    assert said[5].text == "And now?"
