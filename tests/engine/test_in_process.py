"""Flows that end with their process; what every engine keeps is in tests/contracts."""

import asyncio

import pytest

from yudai.engine.adapters.in_process import InProcessEngine
from yudai.kit.ids import MessageId, SolveId

SOLVE = SolveId("s")


class Recorder:
    def __init__(self) -> None:
        self.cancelled: list[str] = []

    async def __call__(self, solve_id: SolveId) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(solve_id)
            raise


async def nobody(message_id: MessageId) -> None:
    raise AssertionError(message_id)


async def unconcluded(solve_id: SolveId) -> None:
    raise AssertionError(solve_id)


async def test_cancel_ends_the_flow_before_it_returns():
    flow = Recorder()
    engine = InProcessEngine(flow, nobody, unconcluded)
    await engine.start(SOLVE)
    await asyncio.sleep(0)
    assert await engine.cancel(SOLVE)
    assert flow.cancelled == [SOLVE]
    await engine.wait(SOLVE)
    assert not await engine.cancel(SOLVE)
    assert not await engine.cancel(SolveId("unknown"))


async def test_cancelling_twice_does_not_disturb_the_clean_up():
    cleaning, cleaned = asyncio.Event(), asyncio.Event()

    async def flow(_: SolveId) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await asyncio.sleep(0.05)
            cleaned.set()

    engine = InProcessEngine(flow, nobody, unconcluded)
    await engine.start(SOLVE)
    await asyncio.sleep(0)
    async with asyncio.TaskGroup() as group:
        group.create_task(engine.cancel(SOLVE))
        await cleaning.wait()
        group.create_task(engine.cancel(SOLVE))
    assert cleaned.is_set()


async def test_close_cancels_what_is_left():
    flow = Recorder()
    engine = InProcessEngine(flow, nobody, unconcluded)
    await engine.start(SOLVE)
    await asyncio.sleep(0)
    await engine.close()
    assert flow.cancelled == [SOLVE]


async def test_waiting_raises_what_the_flow_raised():
    async def flow(_: SolveId) -> None:
        raise ValueError("broken flow")

    engine = InProcessEngine(flow, nobody, unconcluded)
    await engine.start(SOLVE)
    with pytest.raises(ValueError, match="broken flow"):
        await engine.wait(SOLVE)


async def test_it_knows_what_is_still_running():
    engine = InProcessEngine(Recorder(), nobody, unconcluded)
    assert engine.running() == []
    await engine.start(SOLVE)
    assert engine.running() == [SOLVE]
    await engine.close()
    assert engine.running() == []
