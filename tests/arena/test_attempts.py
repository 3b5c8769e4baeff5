"""Tests of patches keep processors busy: only so many are run at once, however many runs wait."""

import asyncio
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pytest

from yudai.arena.attempts import RunSupervisor
from yudai.arena.run import RunBrokeError
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import RunId

SOLVE: Any = SimpleNamespace()


class Counting:
    """A verifier that notes how many are verified at once."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.done: list[RunId] = []

    async def verify_run(self, run_id: RunId, *_: object) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        self.done.append(run_id)


class Finding:
    """A preparer that numbers what it finds."""

    def __init__(self) -> None:
        self.found = 0

    async def find(self, _: object) -> int:
        self.found += 1
        return self.found


def supervisor(**parts: Any) -> RunSupervisor:
    unused: dict[str, Any] = {field.name: None for field in fields(RunSupervisor)}
    given: dict[str, Any] = {**unused, "preparer": Finding(), "retry_delays_s": (), **parts}
    return RunSupervisor(**given)


async def test_all_are_verified_two_at_a_time():
    run_verifier = Counting()
    one = supervisor(run_verifier=run_verifier, verifications=asyncio.Semaphore(2))
    async with asyncio.TaskGroup() as group:
        for number in range(7):
            run: Any = SimpleNamespace(id=f"r{number}", worker_id="w", attempt=1)
            group.create_task(one._verify(SOLVE, run))
    assert run_verifier.most == 2
    assert sorted(run_verifier.done) == [f"r{number}" for number in range(7)]


async def test_who_is_stopped_while_waiting_leaves_the_place_to_the_next():
    run_verifier = Counting()
    slots = asyncio.Semaphore(1)
    one = supervisor(run_verifier=run_verifier, verifications=slots)
    run: Any = SimpleNamespace(id="r", worker_id="w", attempt=1)
    async with slots:
        waiting = asyncio.create_task(one._verify(SOLVE, run))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    assert waiting.cancelled()
    await one._verify(SOLVE, run)
    assert run_verifier.done == ["r"]


async def test_each_try_looks_for_the_base_again():
    """One that is gone is built again by whoever looks for it."""
    seen: list[object] = []

    async def verify(_run: object, prepared: object, _claim: object) -> None:
        seen.append(prepared)
        if len(seen) < 3:
            raise SandboxError("the prepared base is gone")

    run_verifier = SimpleNamespace(verify_run=verify)
    run: Any = SimpleNamespace(id="r", worker_id="w", attempt=1)
    one = supervisor(
        run_verifier=run_verifier, verifications=asyncio.Semaphore(1), retry_delays_s=(0, 0)
    )
    await one._verify(SOLVE, run)
    assert seen == [1, 2, 3]


async def test_what_this_machine_cannot_prepare_is_no_fault_of_the_model():
    async def find(_: object) -> None:
        raise RefusedError("its source is not on this machine")

    one = supervisor(preparer=SimpleNamespace(find=find))
    with pytest.raises(RunBrokeError, match="not on this machine") as broke:
        await one._prepared(SOLVE)
    assert broke.value.cause is Cause.SETUP_FAILED
