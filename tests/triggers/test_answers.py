"""`/yudai answer` in a comment: by whom, which question, and what is said about it."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.decisions.questions import EXPECTATION, INTERFACE, AskingDecider, conclude, question_rows
from tests.support.api_client import RecordingEngine, open_place
from tests.support.forge.trigger_world import Post
from tests.support.solve_rows import SOLVE, Ring, failed
from yudai.kit.errors import RefusedError
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.triggers.domain.commands import is_answer, parse_answer
from yudai.verification.domain.question import Choice


@pytest.fixture
def engine() -> RecordingEngine:
    return RecordingEngine()


@pytest.fixture
async def post(tmp_path: Path, database_url: str, engine: RecordingEngine) -> AsyncGenerator[Post]:
    async with open_place(tmp_path / "home", database_url, engine) as place:
        yield Post(place)


async def ask(post: Post, *questions: Any, **changes: Any) -> None:
    context = post.place.context
    its = {"repo_url": post.repo.url, "issue_number": post.number, "user_id": "olga"}
    running = {"state": SolveState.RUNNING, "finished_at": None}
    await Ring(context).solve(failed(), **(its | running | changes))
    await conclude(context, AskingDecider(*(questions or (EXPECTATION,))))


def said(post: Post) -> list[str]:
    bodies = [one.body for one in post.forge.held(post.repo).comments.values()]
    return [body for body in bodies if "Nothing was" in body]


async def test_who_may_write_answers_the_only_question(post: Post, engine: RecordingEngine):
    await ask(post)
    post.say("Yes, it should.\n/yudai answer accept", by="wim")
    assert await post.check_issue() == 0
    [row] = await question_rows(post.place.context)
    assert (row.choice, row.answered_by) == ("accept", "wim")
    assert engine.concluded == [(SOLVE, 1)]
    assert (await post.noted(), said(post)) == ([("wim", "answered")], [])
    # It is looked at once.
    await post.check_issue()
    assert engine.concluded == [(SOLVE, 1)]


async def test_a_question_is_named_where_several_are_open(post: Post):
    await ask(post, EXPECTATION, INTERFACE)
    first, second = await question_rows(post.place.context)
    post.say("/yudai answer accept")
    await post.check_issue()
    [body] = said(post)
    assert "Nothing was answered" in body
    assert first.id[-8:] in body
    post.say(f"/yudai ANSWER {second.id[-8:]} reject")
    await post.check_issue()
    assert [row.choice for row in await question_rows(post.place.context)] == [None, "reject"]


@pytest.mark.parametrize("is_named", [True, False])
async def test_a_choice_can_have_spaces(post: Post, *, is_named: bool):
    handles = tuple(Choice(id=name, text=name) for name in ("my fix.patch", "the  other", "reject"))
    await ask(post, EXPECTATION.model_copy(update={"choices": handles}))
    [row] = await question_rows(post.place.context)
    name = f"{row.id[-8:]} " if is_named else ""
    post.say(f"/yudai answer {name}my fix.patch")
    await post.check_issue()
    assert (said(post), await post.noted()) == ([], [("wim", "answered")])
    assert [row.choice for row in await question_rows(post.place.context)] == ["my fix.patch"]


@pytest.mark.parametrize("login", ["tess", "rob", "mallory", "yudai[bot]"])
async def test_others_are_ignored_without_a_word(post: Post, engine: RecordingEngine, login: str):
    await ask(post)
    post.say("/yudai answer accept", by=login)
    await post.check_issue()
    assert engine.concluded == []
    assert (await post.noted(), said(post)) == ([(login, "ignored")], [])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("/yudai answer", "say what you choose"),
        ("/yudai answer a b c", "there is no question"),
        ("/yudai answer maybe", "there is no choice"),
        ("/yudai answer 12345678 accept", "there is no question"),
        ("/yudai awnser accept", "there is no command"),
    ],
)
async def test_what_is_wrong_is_said_once(post: Post, words: str, told: str):
    await ask(post)
    post.say(words)
    await post.check_issue()
    await post.check_issue()
    [body] = said(post)
    assert told in body
    assert await post.noted() == [("wim", "refused")]
    assert [row.choice for row in await question_rows(post.place.context)] == [None]


async def test_another_answer_than_the_first_is_refused(post: Post):
    await ask(post)
    post.say("/yudai answer accept", by="wim")
    post.say("/yudai answer reject", by="ada")
    await post.check_issue()
    assert [row.choice for row in await question_rows(post.place.context)] == ["accept"]
    [body] = said(post)
    assert "wim has answered this question already" in body


async def test_a_solve_of_another_issue_is_not_meant(post: Post):
    await ask(post, issue_number=post.number + 1)
    post.say("/yudai answer accept")
    await post.check_issue()
    [body] = said(post)
    assert "no solve of this issue asks a question" in body


async def test_a_comment_answers_once_even_when_two_workers_read_it(
    post: Post, engine: RecordingEngine
):
    """The second would else answer what is asked next."""
    await ask(post, EXPECTATION, INTERFACE)
    first, _ = await question_rows(post.place.context)
    post.say(f"/yudai answer {first.id[-8:]} accept")
    async with asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(post.check_issue())
    async with post.place.context.store.read() as db:
        assert await events.count(db, SOLVE, "solve.answered", run_id=None) == 1
    assert await post.noted() == [("wim", "answered")]
    assert said(post) == []


async def test_nothing_is_stored_of_an_answer_whose_comment_was_recorded(post: Post):
    """A crash came after the answer; since then the solve asks something else."""
    await ask(post)
    post.say("/yudai answer accept")
    await post.check_issue()
    context = post.place.context
    await conclude(context, AskingDecider(INTERFACE, verdicts=lambda _: {}))
    found = await post.triggers._triggers_of(
        post.repo,
        await post.forge.issue(post.repo, post.number, by=post.credentials.everybody),
        await post.triggers._watch(post.repo),
        by=post.credentials.everybody,
    )
    issue = await post.forge.issue(post.repo, post.number, by=post.credentials.everybody)
    [trigger] = found
    await post.triggers._handle(post.repo, issue, trigger, by=post.credentials.everybody)
    assert [row.choice for row in await question_rows(context)] == ["accept", None]


def test_commands_that_answer():
    assert parse_answer("answer accept") == "accept"
    assert parse_answer("Answer  1a2b3c4d my  fix.patch ") == "1a2b3c4d my  fix.patch"
    assert parse_answer("solve model=x") is None
    assert parse_answer("") is None
    assert not is_answer("answers accept")
    with pytest.raises(RefusedError, match="say what you choose"):
        parse_answer("answer")
