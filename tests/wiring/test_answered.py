"""An answered solve at durable workers: concluded from what is stored, also after a crash."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.decisions.questions import EXPECTATION, AskingDecider, question_rows, solve_row
from tests.publishing.test_flow import _flow
from tests.support.forge.mirrors_in_memory import Press
from tests.support.solve_rows import SOLVE, failed, run_id
from yudai.arena.cancel import Stopper
from yudai.arena.conclude import Concluder
from yudai.decisions.answer import Answer, Answers
from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.kit.ids import SolveId, WorkerId
from yudai.operations.sweep import Sweeper
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.wiring.components import make_answers


class House:
    """A solve that asks, an engine and a worker."""

    def __init__(self, press: Press, engine: DbosEngine, decider: AskingDecider) -> None:
        self.press, self.engine, self.decider = press, engine, decider
        self.sweeper = Sweeper(press.store, press.clock, engine, Stopper(press.store, press.clock))

    async def give(self, answers: Answers) -> None:
        await answers.give(SOLVE, Answer("", "accept", "ada"), owner_id="")

    async def until_at_rest(self) -> SolveRow:
        async with asyncio.timeout(30):
            while (row := await solve_row(self.press.context)).state is SolveState.RUNNING:  # noqa: ASYNC110 - the store tells nobody
                await asyncio.sleep(0.02)
        return row


@pytest.fixture
async def house(database_url: str, tmp_path: Path) -> AsyncIterator[House]:
    decider = AskingDecider(EXPECTATION)
    config = EngineConfig(url=f"sqlite:///{tmp_path / 'engine.db'}", poll_s=0.05)
    async with await Store.open(database_url) as store:
        press = Press(store, tmp_path / "artifacts")
        running: dict[str, Any] = {"state": SolveState.RUNNING, "finished_at": None}
        await press.solve(failed(), **running)
        concluder = Concluder(press.context, decider)
        await concluder.conclude_here(SOLVE, WorkerId("w"))
        flow = _flow(press, concluder=concluder, publish=press.publisher().auto)
        async with DbosEngine.opened(config) as engine, DbosWorker(config, flow):
            yield House(press, engine, decider)


async def test_a_worker_concludes_and_publishes(house: House):
    await house.give(make_answers(house.press.store, house.press.clock, house.engine))
    solve = await house.until_at_rest()
    assert (solve.state, solve.champion_run_id) == (SolveState.AWAITING_REVIEW, run_id(0))
    assert solve.worker_id == "w"
    async with asyncio.timeout(30):
        while not house.press.pulls:  # noqa: ASYNC110 - the forge tells nobody
            await asyncio.sleep(0.02)
    # The same answer once more is no second conclusion.
    await house.give(make_answers(house.press.store, house.press.clock, house.engine))
    assert len(house.decider.seen) == 2


async def test_a_crash_between_answer_and_conclusion_is_repaired_by_the_sweep(house: House):
    async def die(_: SolveId, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await house.give(Answers(house.press.store, house.press.clock, die))
    assert (await solve_row(house.press.context)).state is SolveState.RUNNING
    house.press.clock.time += 60
    await house.sweeper.sweep()
    await house.sweeper.sweep()
    solve = await house.until_at_rest()
    assert solve.champion_run_id == run_id(0)
    assert [row.choice for row in await question_rows(house.press.context)] == ["accept"]
    await house.sweeper.sweep()
    assert len(house.decider.seen) == 2
