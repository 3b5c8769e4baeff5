"""Every engine keeps this."""

import asyncio
from pathlib import Path

import pytest

from yudai.adapters.engines.in_process import InProcessEngine
from yudai.domain.ids import SolveId
from yudai.ports.engine import FlowStatus

SOLVE = SolveId("s")


class Recorder:
    def __init__(self) -> None:
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.go_on = asyncio.Event()

    async def __call__(self, solve_id: SolveId) -> None:
        self.started.append(solve_id)
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.append(solve_id)
            raise


async def test_starting_twice_is_the_same_as_once(tmp_path: Path):
    flow = Recorder()
    engine = InProcessEngine(flow, tmp_path)
    assert await engine.status(SOLVE) is FlowStatus.UNKNOWN
    await engine.start(SOLVE)
    await engine.start(SOLVE)
    assert await engine.status(SOLVE) is FlowStatus.RUNNING
    flow.go_on.set()
    await engine.wait(SOLVE)
    assert await engine.status(SOLVE) is FlowStatus.ENDED
    assert flow.started == [SOLVE]


async def test_cancel_ends_the_flow_before_it_returns(tmp_path: Path):
    flow = Recorder()
    engine = InProcessEngine(flow, tmp_path)
    await engine.start(SOLVE)
    await asyncio.sleep(0)
    assert await engine.cancel(SOLVE)
    assert flow.cancelled == [SOLVE]
    await engine.wait(SOLVE)
    assert not await engine.cancel(SOLVE)
    assert not await engine.cancel(SolveId("unknown"))


async def test_cancelling_twice_does_not_disturb_the_clean_up(tmp_path: Path):
    cleaning, cleaned = asyncio.Event(), asyncio.Event()

    async def flow(_: SolveId) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await asyncio.sleep(0.05)
            cleaned.set()

    engine = InProcessEngine(flow, tmp_path)
    await engine.start(SOLVE)
    await asyncio.sleep(0)
    async with asyncio.TaskGroup() as group:
        group.create_task(engine.cancel(SOLVE))
        await cleaning.wait()
        group.create_task(engine.cancel(SOLVE))
    assert cleaned.is_set()


async def test_another_engine_knows_a_living_flow_from_a_dead_one(tmp_path: Path):
    flow = Recorder()
    engine, other = InProcessEngine(flow, tmp_path), InProcessEngine(flow, tmp_path)
    await engine.start(SOLVE)
    assert await other.status(SOLVE) is FlowStatus.RUNNING
    await engine.close()
    assert await other.status(SOLVE) is FlowStatus.UNKNOWN
    assert list(tmp_path.iterdir()) == []


async def test_close_cancels_what_is_left(tmp_path: Path):
    flow = Recorder()
    engine = InProcessEngine(flow, tmp_path)
    await engine.start(SOLVE)
    await asyncio.sleep(0)
    await engine.close()
    assert flow.cancelled == [SOLVE]


async def test_waiting_raises_what_the_flow_raised(tmp_path: Path):
    async def flow(_: SolveId) -> None:
        raise ValueError("broken flow")

    engine = InProcessEngine(flow, tmp_path)
    await engine.start(SOLVE)
    with pytest.raises(ValueError, match="broken flow"):
        await engine.wait(SOLVE)
