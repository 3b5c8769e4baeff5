"""The end of a solve's flow: an offered champion is published automatically."""

from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.forge.mirrors_in_memory import Press
from tests.support.solve_rows import failed, passed
from yudai.arena.cancel import Stopper
from yudai.arena.conclude import Concluder, StoredFacts
from yudai.arena.flow import SolveFlow
from yudai.engine.guard import WorkGuard
from yudai.kit.ids import SolveId, WorkerId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveState
from yudai.store.store import Store


@pytest.fixture
async def press(database_url: str, tmp_path: Path) -> AsyncGenerator[Press]:
    async with await Store.open(database_url) as store:
        yield Press(store, tmp_path / "artifacts")


async def _nothing(*_: Any) -> None:
    pass


def _flow(press: Press, **changes: Any) -> SolveFlow:
    """From the end of its races on; those are told elsewhere."""
    parts: dict[str, Any] = {
        "context": press.context,
        "worker_id": WorkerId("w"),
        "work_guard": WorkGuard(press.store),
        "preparer": SimpleNamespace(find=_nothing),
        "supervisor": SimpleNamespace(close_open=_nothing, retry_delays_s=()),
        "run_verifier": SimpleNamespace(cross_examine_runs=_nothing, has_cross_examined=_nothing),
        "concluder": Concluder(press.context, StoredFacts(press.store)),
        "stopper": Stopper(press.store, press.clock),
        "notify": _nothing,
        "reply": _nothing,
    }
    return SolveFlow(**(parts | changes))


async def test_what_was_offered_is_published(press: Press):
    solve_id = await press.solve(passed(), failed(), state=SolveState.RUNNING, finished_at=None)
    await _flow(press, publish=press.publisher().auto).conclude(solve_id)
    async with press.store.read() as db:
        solve = await solves.get(db, solve_id)
    assert solve.state is SolveState.AWAITING_REVIEW
    assert len(press.pulls) == 1
    assert len(press.comments) == 1


async def test_what_abstained_is_only_reported(press: Press):
    solve_id = await press.solve(failed(), state=SolveState.RUNNING, finished_at=None)
    await _flow(press, publish=press.publisher().auto).conclude(solve_id)
    assert press.pulls == []
    assert "There is no champion." in press.comments[0].body


async def test_the_hook_comes_after_the_offer_and_once_more_after_a_crash(press: Press):
    solve_id = await press.solve(passed(), state=SolveState.RUNNING, finished_at=None)
    seen: list[SolveState] = []

    async def publish(asked: SolveId) -> None:
        async with press.store.read() as db:
            seen.append((await solves.get(db, asked)).state)

    flow = _flow(press, publish=publish)
    await flow.conclude(solve_id)
    await flow.conclude(solve_id)
    assert seen == [SolveState.AWAITING_REVIEW] * 2


async def test_by_default_nothing_is_published(press: Press):
    solve_id = await press.solve(passed(), state=SolveState.RUNNING, finished_at=None)
    await _flow(press).conclude(solve_id)
    async with press.store.read() as db:
        assert {run.state for run in await runs.of_solve(db, solve_id)} == {RunState.COMPLETED}
    assert (press.pulls, press.comments) == ([], [])
