"""A person's answer: stored once, with the solve's state, and followed by a conclusion."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from tests.decisions.questions import (
    EXPECTATION,
    INTERFACE,
    AskingDecider,
    conclude,
    question_rows,
    solve_row,
)
from tests.support.solve_rows import SOLVE, Ring, failed, run_id
from yudai.arena.cancel import Stopper
from yudai.arena.conclude import Concluder
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.decisions.answer import Answer, Answers
from yudai.decisions.choose import Choice, choose_champion, dismiss_solve
from yudai.kit.clock import SystemClock
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.ids import SolveId, WorkerId
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.idempotency import IdempotencyKey, KeyReusedError
from yudai.store.store import Store

KEY = IdempotencyKey(key="k", fingerprint="f" * 64)


class World:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.followed: list[tuple[SolveId, int]] = []
        self.answers = Answers(context.store, context.clock, self._follow)

    async def ask(self, *asked, **changes: object) -> None:
        changes = {"state": SolveState.RUNNING, "finished_at": None, "user_id": "olga"} | changes
        await Ring(self.context).solve(failed(), **changes)
        await conclude(self.context, AskingDecider(*(asked or (EXPECTATION,))))

    async def give(self, choice: str, question: str = "", **more) -> None:
        owner_id = more.pop("owner_id", "olga")
        given = Answer(question, choice, more.pop("user_id", "wim"), more.pop("login", ""))
        await self.answers.give(SOLVE, given, owner_id=owner_id, **more)

    async def _follow(self, solve_id: SolveId, turn: int) -> None:
        self.followed.append((solve_id, turn))


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncIterator[World]:
    async with await Store.open(database_url) as store:
        yield World(Context(store, make_artifacts(None, home=tmp_path), SystemClock()))


async def test_an_answer_is_stored_with_the_state_and_followed(world: World):
    await world.ask()
    await world.give("accept", login="Wim-at-forge")
    solve, [row] = await solve_row(world.context), await question_rows(world.context)
    assert (row.choice, row.answered_by, row.answered_at is not None) == (
        "accept",
        "Wim-at-forge",
        True,
    )
    assert (solve.state, solve.worker_id, solve.durable) == (SolveState.RUNNING, "", True)
    assert world.followed == [(SOLVE, 1)]
    async with world.context.store.read() as db:
        [event] = await events.of_kinds(db, SOLVE, ["solve.answered"])
    assert event.data == {
        "from": "awaiting_review",
        "to": "running",
        "question": row.id,
        "key": EXPECTATION.key,
        "choice": "accept",
        "by": "Wim-at-forge",
    }


@pytest.mark.parametrize("is_named", [False, True])
async def test_the_same_answer_again_changes_nothing_but_is_followed_again(
    world: World, *, is_named: bool
):
    """A crash may have come between the first one and its conclusion."""
    await world.ask()
    await world.give("accept")
    [before] = await question_rows(world.context)
    await world.give("accept", before.id if is_named else "", user_id="eve")
    [row] = await question_rows(world.context)
    assert (row.answered_by, row.answered_at) == ("wim", before.answered_at)
    assert world.followed == [(SOLVE, 1), (SOLVE, 1)]


async def test_another_answer_is_refused(world: World):
    await world.ask()
    await world.give("accept")
    with pytest.raises(ConflictError, match="wim has answered this question already: accept"):
        await world.give("reject")
    assert [row.choice for row in await question_rows(world.context)] == ["accept"]


async def test_an_unknown_choice_names_the_known_ones(world: World):
    await world.ask()
    with pytest.raises(RefusedError, match="there is no choice 'maybe': accept, reject") as error:
        await world.give("maybe")
    assert error.value.field == "choice"
    assert (await solve_row(world.context)).state is SolveState.AWAITING_REVIEW


async def test_questions_are_named_by_id_its_end_or_key(world: World):
    await world.ask(EXPECTATION, INTERFACE)
    first, second = await question_rows(world.context)
    with pytest.raises(RefusedError, match=f"2 open questions: name one of {first.id[-8:]}, "):
        await world.give("accept")
    with pytest.raises(NotFoundError, match="there is no question 'nope' of solve"):
        await world.give("accept", "nope")
    with pytest.raises(NotFoundError, match="there is no question 'x' of"):
        await world.give("accept", "x")
    await world.give("accept", first.id[-8:].upper())
    await world.give("reject", INTERFACE.key)
    assert [row.choice for row in await question_rows(world.context)] == ["accept", "reject"]
    assert second.id == (await question_rows(world.context))[1].id


async def test_a_second_answer_while_the_first_is_followed_starts_nothing_new(world: World):
    await world.ask(EXPECTATION, INTERFACE)
    first, second = await question_rows(world.context)
    await world.give("accept", first.id)
    await world.give("accept", second.id)
    assert world.followed == [(SOLVE, 1), (SOLVE, 1)]
    async with world.context.store.read() as db:
        assert await events.count(db, SOLVE, "solve.answered", run_id=None) == 1
        assert await events.count(db, SOLVE, "question.answered", run_id=None) == 1


@pytest.mark.parametrize("choices", [("accept", "accept"), ("accept", "reject")])
async def test_of_two_at_once_one_counts(world: World, database_url: str, choices: tuple[str, str]):
    """Two stores, as two processes have them."""
    await world.ask()
    async with await Store.open(database_url) as other:
        second = Answers(other, world.context.clock, world._follow)
        given = [Answer("", choice, f"user-{n}") for n, choice in enumerate(choices)]
        found = await asyncio.gather(
            world.answers.give(SOLVE, given[0], owner_id="olga"),
            second.give(SOLVE, given[1], owner_id="olga"),
            return_exceptions=True,
        )
    refused = [one for one in found if one is not None]
    assert [type(one) for one in refused] == ([ConflictError] if len(set(choices)) > 1 else [])
    async with world.context.store.read() as db:
        assert await events.count(db, SOLVE, "solve.answered", run_id=None) == 1


async def test_a_repeated_request_is_followed_and_not_looked_at_again(world: World):
    await world.ask()
    await world.give("accept", key=KEY)
    await world.give("accept", key=KEY)
    assert world.followed == [(SOLVE, 1), (SOLVE, 1)]
    with pytest.raises(KeyReusedError):
        await world.give("reject", key=KEY.model_copy(update={"fingerprint": "0" * 64}))


async def test_a_solve_that_asks_nothing_is_not_answered(world: World):
    await Ring(world.context).solve(failed(), user_id="olga", state=SolveState.COMPLETED)
    with pytest.raises(ConflictError, match="asks no question"):
        await world.give("accept")


@pytest.mark.parametrize("is_named", [False, True])
async def test_a_cancelled_solve_is_not_answered(world: World, *, is_named: bool):
    await world.ask(EXPECTATION, INTERFACE)
    first, second = await question_rows(world.context)
    await world.give("accept", first.id)
    stopper = Stopper(world.context.store, world.context.clock)
    assert await stopper.stop(SOLVE, SolveEvent.CANCELLED, "cancelled")
    with pytest.raises(ConflictError):
        await world.give("reject", second.id if is_named else "")
    assert (await solve_row(world.context)).state is SolveState.CANCELLED


async def test_a_dismissed_solve_is_not_answered(world: World):
    await world.ask()
    await dismiss_solve(world.context, SOLVE, "no time", user_id="olga")
    [row] = await question_rows(world.context)
    with pytest.raises(ConflictError, match="is completed: its questions need no answer"):
        await world.give("accept", row.id)
    assert world.followed == []


async def test_a_person_who_chooses_a_champion_closes_the_questions(world: World):
    await world.ask()
    choice = Choice(run_id=run_id(0), reason="it is right")
    await choose_champion(world.context, SOLVE, choice, user_id="olga")
    [row] = await question_rows(world.context)
    assert row.closed_at is not None
    with pytest.raises(ConflictError, match="needs no answer any more"):
        await world.give("accept", row.id)
    solve = await solve_row(world.context)
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, run_id(0))


async def test_a_foreign_solve_does_not_exist(world: World):
    await world.ask()
    with pytest.raises(NotFoundError, match="there is no solve"):
        await world.give("accept", owner_id="eve")


async def test_what_died_between_answer_and_conclusion_is_repaired(world: World):
    """Without a server: the next process of this home does it."""
    await world.ask()
    await world.give("accept")
    decider = AskingDecider(EXPECTATION)
    stopper = Stopper(world.context.store, world.context.clock)
    # It has no process, but that is no reason to fail it.
    assert await stopper.fail_dead() == 0
    await Concluder(world.context, decider).repair(WorkerId("next"))
    solve = await solve_row(world.context)
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, run_id(0))
    await Concluder(world.context, decider).repair(WorkerId("next"))
    assert len(decider.seen) == 1


async def test_a_process_that_concludes_by_itself_does_both(world: World):
    await world.ask()
    concluder = Concluder(world.context, AskingDecider(EXPECTATION))

    async def follow(solve_id: SolveId, _: int) -> None:
        await concluder.conclude_here(solve_id, WorkerId("here"))

    answers = Answers(world.context.store, world.context.clock, partial(follow))
    await answers.give(SOLVE, Answer("", "accept", "olga"), owner_id="olga")
    assert (await solve_row(world.context)).champion_run_id == run_id(0)
