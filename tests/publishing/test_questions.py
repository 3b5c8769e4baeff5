"""A solve that asks: its comment says what and how to answer; what follows is published as ever."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.decisions.questions import EXPECTATION, INTERFACE, AskingDecider, question_rows
from tests.publishing.test_flow import _flow
from tests.support.forge.mirrors_in_memory import Press
from tests.support.solve_rows import SOLVE, failed
from yudai.arena.conclude import Concluder
from yudai.decisions.answer import Answer, Answers
from yudai.forge.domain.issue_text import OUR_MARK
from yudai.kit.ids import SolveId, WorkerId
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.states import SolveState
from yudai.store.store import Store
from yudai.triggers.domain.commands import find_command


@pytest.fixture
async def press(database_url: str, tmp_path: Path) -> AsyncGenerator[Press]:
    async with await Store.open(database_url) as store:
        yield Press(store, tmp_path / "artifacts")


async def ask(press: Press, decider: AskingDecider, **changes: Any) -> Concluder:
    concluder = Concluder(press.context, decider)
    running: dict[str, Any] = {"state": SolveState.RUNNING, "finished_at": None}
    await press.solve(failed(), **(running | changes))
    await _flow(press, concluder=concluder, publish=press.publisher().auto).conclude(SOLVE)
    return concluder


async def answer(press: Press, concluder: Concluder, choice: str, *, publishes: bool) -> None:
    press.clock.time += 5

    async def follow(solve_id: SolveId, _: int) -> None:
        if publishes:
            auto = press.publisher().auto
            await _flow(press, concluder=concluder, publish=auto).conclude(solve_id)
        else:
            # A command of another process, which publishes nothing.
            await concluder.conclude_here(solve_id, WorkerId("here"))

    answers = Answers(press.store, press.clock, follow)
    [row, *_] = [row for row in await question_rows(press.context) if row.choice is None]
    await answers.give(SOLVE, Answer(row.id, choice, "ada"), owner_id="")


async def test_the_comment_says_what_is_asked_and_how_to_answer(press: Press):
    hostile = EXPECTATION.model_copy(update={"text": "Fixes #1 @ada?", "detail": "```\n<!-- x -->"})
    await ask(press, AskingDecider(hostile, INTERFACE))
    [comment] = press.comments
    assert "**Needs you**" in comment.body
    assert "There is no champion" not in comment.body
    for row in await question_rows(press.context):
        assert f"`/yudai answer {row.id[-8:]} accept` yes" in comment.body
    assert "Fixes #1" not in comment.body
    assert "@ada" not in comment.body
    assert "<!-- x" not in comment.body
    # It is no command itself.
    assert find_command(comment.body) is None
    assert find_command(comment.body.replace(OUR_MARK, "")) is None
    assert press.pulls == []


@pytest.mark.parametrize("publishes", [True, False])
async def test_a_champion_that_an_answer_made_is_published(press: Press, *, publishes: bool):
    concluder = await ask(press, AskingDecider(EXPECTATION))
    await answer(press, concluder, "accept", publishes=publishes)
    press.clock.time += 60
    await press.publisher().remember()
    assert len(press.pulls) == 1
    [comment] = press.comments
    assert "Needs you" not in comment.body
    before = await press.timeline()
    press.clock.time += 60
    await press.publisher().remember()
    assert await press.timeline() == before


@pytest.mark.parametrize("publishes", [True, False])
async def test_the_comment_follows_an_answer_that_makes_none(press: Press, *, publishes: bool):
    concluder = await ask(press, AskingDecider(EXPECTATION))
    await answer(press, concluder, "reject", publishes=publishes)
    press.clock.time += 60
    await press.publisher().remember()
    [comment] = press.comments
    assert "There is no champion" in comment.body
    before = await press.timeline()
    press.clock.time += 60
    await press.publisher().remember()
    assert (press.pulls, await press.timeline()) == ([], before)


async def test_what_is_left_to_answer_is_in_the_comment(press: Press):
    decider = AskingDecider(EXPECTATION, INTERFACE, verdicts=lambda _: {})
    concluder = await ask(press, decider)
    await answer(press, concluder, "accept", publishes=True)
    [comment] = press.comments
    first, second = await question_rows(press.context)
    assert first.id[-8:] not in comment.body
    assert "**yes**, says ada" in comment.body
    assert second.id[-8:] in comment.body


async def test_one_that_a_person_publishes_waits_for_that(press: Press):
    concluder = await ask(press, AskingDecider(EXPECTATION), publish=PublishMode.ASK)
    await answer(press, concluder, "accept", publishes=True)
    assert press.pulls == []
