"""The end of a solve: a champion, a question, or none; again after each answer."""

from collections.abc import AsyncIterator, Sequence
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
from tests.support.solve_rows import SOLVE, Ring, failed, passed, run_id
from yudai.arena.conclude import Decision, StoredFacts
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.kit.clock import SystemClock
from yudai.kit.ids import SolveId, WorkerId
from yudai.runs import queries as runs
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.store.store import Store
from yudai.verification.domain.question import PersonAnswer
from yudai.verification.domain.verdict import VerdictStatus

RUNNING = {"state": SolveState.RUNNING, "finished_at": None}


@pytest.fixture
async def context(database_url: str, tmp_path: Path) -> AsyncIterator[Context]:
    async with await Store.open(database_url) as store:
        yield Context(store, make_artifacts(None, home=tmp_path), SystemClock())


async def answer(context: Context, key: str, choice: str) -> None:
    """As it is stored: what is asked of a person is told elsewhere."""
    async with context.store.change() as db:
        [row] = [row for row in await solves.all_questions(db, SOLVE) if row.key == key]
        await solves.store_answer(db, row, choice, by="ada", at=3.0)
        await solves.advance(db, SOLVE, SolveEvent.ANSWERED, at=3.0, worker_id="")


async def test_without_a_champion_an_open_question_is_asked(context: Context):
    await Ring(context).solve(failed(), failed(), **RUNNING)
    solve = await conclude(context, AskingDecider(EXPECTATION, INTERFACE))
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, None)
    assert solve.reason == f"a person has to answer: {EXPECTATION.text} (and 1 more)"
    first, second = await question_rows(context)
    assert (first.text, first.choices, first.runs, first.detail) == (
        EXPECTATION.text,
        EXPECTATION.choices,
        (run_id(0),),
        EXPECTATION.detail,
    )
    assert (second.key, second.choice, second.closed_at) == (INTERFACE.key, None, None)
    async with context.store.read() as db:
        assert await events.has(db, SOLVE, "solve.asked")


async def test_an_answer_is_followed_without_asking_again(context: Context):
    await Ring(context).solve(failed(), **RUNNING)
    decider = AskingDecider(EXPECTATION)
    asked = await conclude(context, decider)
    await answer(context, EXPECTATION.key, "accept")
    solve = await conclude(context, decider)
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, run_id(0))
    assert decider.seen == [(), (PersonAnswer(key=EXPECTATION.key, choice="accept"),)]
    assert (solve.started_at, solve.finished_at) == (asked.started_at, asked.finished_at)
    async with context.store.read() as db:
        [run] = await runs.of_solve(db, SOLVE)
        assert run.verdict is not None
        assert run.verdict.status is VerdictStatus.PASSED
        # Only the first time: it was another worker's when it began.
        assert await events.count(db, SOLVE, "solve.resumed", run_id=None) == 0


async def test_when_nothing_is_left_to_ask_it_abstains(context: Context):
    await Ring(context).solve(failed(), **RUNNING)
    decider = AskingDecider(EXPECTATION)
    await conclude(context, decider)
    await answer(context, EXPECTATION.key, "reject")
    solve = await conclude(context, decider)
    assert (solve.state, solve.champion_run_id) == (SolveState.COMPLETED, None)


async def test_one_of_two_answers_leaves_the_other_question_open(context: Context):
    await Ring(context).solve(failed(), **RUNNING)
    decider = AskingDecider(EXPECTATION, INTERFACE, verdicts=lambda _: {})
    await conclude(context, decider)
    await answer(context, EXPECTATION.key, "accept")
    solve = await conclude(context, decider)
    assert (solve.state, solve.reason) == (
        SolveState.AWAITING_REVIEW,
        f"a person has to answer: {INTERFACE.text}",
    )
    assert {row.key: (row.choice, row.closed_at) for row in await question_rows(context)} == {
        EXPECTATION.key: ("accept", None),
        INTERFACE.key: (None, None),
    }


async def test_a_question_about_the_best_answer_keeps_it_from_being_champion(context: Context):
    await Ring(context).solve(passed(), **RUNNING)
    solve = await conclude(context, AskingDecider(EXPECTATION, verdicts=lambda _: {}))
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, None)
    assert [row.key for row in await question_rows(context)] == [EXPECTATION.key]


async def test_a_question_about_another_is_not_asked_when_there_is_a_champion(context: Context):
    await Ring(context).solve(passed(), **RUNNING)
    another = EXPECTATION.model_copy(update={"runs": (run_id(1),)})
    solve = await conclude(context, AskingDecider(another, verdicts=lambda _: {}))
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, run_id(0))
    assert await question_rows(context) == []


async def test_a_question_that_vanishes_is_closed_and_opens_when_it_comes_back(context: Context):
    await Ring(context).solve(failed(), **RUNNING)
    decider = AskingDecider(EXPECTATION, INTERFACE, verdicts=lambda _: {})
    await conclude(context, decider)
    await answer(context, EXPECTATION.key, "accept")
    decider.asked = (EXPECTATION.model_copy(update={"key": "another"}),)
    await conclude(context, decider)
    rows = {row.key: row for row in await question_rows(context)}
    assert rows[INTERFACE.key].closed_at is not None
    assert rows[EXPECTATION.key].closed_at is None
    await answer(context, "another", "accept")
    decider.asked = (INTERFACE.model_copy(update={"detail": "read it again"}),)
    await conclude(context, decider)
    again = {row.key: row for row in await question_rows(context)}[INTERFACE.key]
    assert (again.id, again.closed_at, again.detail) == (
        rows[INTERFACE.key].id,
        None,
        "read it again",
    )


async def test_a_decider_that_forgets_answers_does_not_ask_for_ever(context: Context):
    class Deaf(AskingDecider):
        async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
            del solve_id, answers
            return Decision(verdicts={}, questions=self.asked)

    await Ring(context).solve(failed(), **RUNNING)
    await conclude(context, Deaf(EXPECTATION))
    await answer(context, EXPECTATION.key, "reject")
    assert (await conclude(context, Deaf(EXPECTATION))).state is SolveState.COMPLETED


async def test_an_answer_that_comes_meanwhile_counts(context: Context):
    """Of two questions the second is answered while the first answer is being followed."""
    await Ring(context).solve(failed(), **RUNNING)
    asking = AskingDecider(EXPECTATION, INTERFACE)
    await conclude(context, asking)
    await answer(context, EXPECTATION.key, "accept")

    class Slow(AskingDecider):
        async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
            if not self.seen:
                async with context.store.change() as db:
                    row = (await solves.all_questions(db, SOLVE))[1]
                    await solves.store_answer(db, row, "reject", by="bob", at=4.0)
            return await super().decide(solve_id, answers)

    slow = Slow(EXPECTATION, INTERFACE)
    solve = await conclude(context, slow)
    assert [len(seen) for seen in slow.seen] == [1, 2]
    assert (solve.state, solve.champion_run_id) == (SolveState.COMPLETED, None)


async def test_a_worker_that_lost_the_solve_writes_nothing(context: Context):
    await Ring(context).solve(failed(), **RUNNING)

    class Overtaken(AskingDecider):
        async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
            async with context.store.change() as db:
                await solves.change(db, SOLVE, worker_id=WorkerId("other"))
            return await super().decide(solve_id, answers)

    solve = await conclude(context, Overtaken(EXPECTATION))
    assert (solve.state, solve.worker_id) == (SolveState.RUNNING, "other")
    assert await question_rows(context) == []


async def test_nothing_is_done_for_a_solve_that_is_not_running(context: Context):
    await Ring(context).solve(failed(), state=SolveState.CANCELLED)
    decider = AskingDecider(EXPECTATION)
    assert (await conclude(context, decider)).state is SolveState.CANCELLED
    assert decider.seen == []


async def test_the_stored_verdicts_stand_where_no_one_decides(context: Context):
    await Ring(context).solve(failed(), passed(), **RUNNING)
    solve = await conclude(context, StoredFacts(context.store))
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, run_id(1))
    async with context.store.read() as db:
        # Ranked, and nothing else.
        assert [run.rev for run in await runs.of_solve(db, SOLVE)] == [1, 1]


async def test_open_questions_are_closed_when_the_solve_ends(context: Context):
    await Ring(context).solve(failed(), **RUNNING)
    await conclude(context, AskingDecider(EXPECTATION))
    async with context.store.change() as db:
        await solves.advance(db, SOLVE, SolveEvent.SETTLED, at=5.0, data={"dismissed": ""})
    assert [row.closed_at for row in await question_rows(context)] == [5.0]
    assert (await solve_row(context)).state is SolveState.COMPLETED
