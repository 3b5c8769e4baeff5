"""Every agent keeps this: cancelled, it stops at once and leaves nothing running."""

import asyncio
from pathlib import Path

import pytest

from tests.support.fakes import HangingGateway
from tests.support.scripted_agent import Stage

AT_ONCE_S = 2.0


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


async def _cancelled(run: asyncio.Task) -> None:
    run.cancel()
    done, _ = await asyncio.wait([run], timeout=AT_ONCE_S)
    assert done, "it did not stop within two seconds"
    assert run.cancelled()


async def _until_file(path: Path) -> None:
    while not path.exists():  # noqa: ASYNC110  another process makes it
        await asyncio.sleep(0.005)


async def test_cancelling_stops_a_command(stage: Stage):
    begun = stage.sandbox.workspace / "begun"
    run = asyncio.create_task(stage.play([{"run": ["touch begun; sleep 60", "touch never"]}]))
    await _until_file(begun)
    await _cancelled(run)
    assert stage.sandbox.running == 0
    assert not (stage.sandbox.workspace / "never").exists()
    assert stage.told.exit_status == "Cancelled"
    assert stage.told.roles[-3:] == ["tool", "tool", "exit"]


async def test_cancelling_stops_a_model_call(stage: Stage):
    gateway = HangingGateway()
    run = asyncio.create_task(stage.run(gateway, stage.sandbox))
    await gateway.asked.wait()
    await _cancelled(run)
    assert gateway.left.is_set()
    assert stage.told.roles == ["system", "user", "exit"]


@pytest.mark.parametrize("max_edits", [1, 2], ids=["at the cap", "at the end"])
async def test_cancelling_stops_the_taking_of_the_patch(stage: Stage, max_edits: int):
    stage.sandbox.slow_diff = True
    script = [{"run": "echo > b"}, {"finish": True}]
    run = asyncio.create_task(stage.play(script, max_edits=max_edits))
    await stage.sandbox.diffing.wait()
    await _cancelled(run)


async def test_cancelling_twice_is_the_same_as_once(stage: Stage):
    gateway = HangingGateway()
    run = asyncio.create_task(stage.run(gateway, stage.sandbox))
    await gateway.asked.wait()
    run.cancel()
    await asyncio.sleep(0)
    await _cancelled(run)


async def test_a_run_that_waits_for_a_thread_can_be_cancelled(tmp_path: Path):
    stages = [Stage(tmp_path / str(i)) for i in range(3)]
    gateways = [HangingGateway() for _ in stages]
    for stage in stages:
        stage.agent = stages[0].agent
    runs = [asyncio.create_task(s.run(g, s.sandbox)) for s, g in zip(stages, gateways, strict=True)]
    await gateways[0].asked.wait()
    await gateways[1].asked.wait()
    await _cancelled(runs[2])
    assert not gateways[2].asked.is_set()
    for run in runs[:2]:
        await _cancelled(run)


async def test_the_threads_are_free_again_and_end_with_the_agent(stage: Stage):
    gateway = HangingGateway()
    for _ in range(3):
        gateway.asked.clear()
        run = asyncio.create_task(stage.run(gateway, stage.sandbox))
        await gateway.asked.wait()
        await _cancelled(run)
    outcome = await stage.play([{"finish": True}])
    assert outcome.cause is None
    threads = set(stage.agent._pool._threads)
    await stage.agent.close()
    for thread in threads:
        thread.join(AT_ONCE_S)
    assert not any(thread.is_alive() for thread in threads)
