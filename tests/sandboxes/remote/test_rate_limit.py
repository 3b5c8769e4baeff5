"""A provider's plan, kept by us: places, turns, patience."""

import asyncio

import pytest

from yudai.kit.causes import POLICIES
from yudai.sandboxes.backends.remote.cloud import BusyError, DeniedError
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit


async def test_no_more_than_so_many_at_once():
    rate_limit = MachineRateLimit(at_once=2)
    await rate_limit.enter(2)
    third = asyncio.create_task(rate_limit.enter())
    await asyncio.sleep(0)
    assert not third.done()

    rate_limit.leave()
    await asyncio.wait_for(third, 5)


async def test_two_that_want_several_do_not_wait_for_each_other():
    rate_limit = MachineRateLimit(at_once=3)
    await rate_limit.enter(2)
    one, other = asyncio.create_task(rate_limit.enter(2)), asyncio.create_task(rate_limit.enter(2))
    await asyncio.sleep(0)

    rate_limit.leave(2)
    await asyncio.wait_for(one, 5)
    assert not other.done()
    rate_limit.leave(2)
    await asyncio.wait_for(other, 5)


async def test_who_gives_up_waiting_holds_no_place():
    rate_limit = MachineRateLimit(at_once=2)
    await rate_limit.enter()
    waiting = asyncio.create_task(rate_limit.enter(2))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    await asyncio.wait_for(rate_limit.enter(), 5)


async def test_more_than_there_ever_are_is_refused():
    with pytest.raises(DeniedError, match="3 sandboxes at once are more than the 2 allowed") as no:
        await MachineRateLimit(at_once=2).enter(3)
    assert POLICIES[no.value.cause].retry == "final"


async def test_creations_are_spread_over_time():
    rate_limit, loop = MachineRateLimit(at_once=9, per_second=50), asyncio.get_running_loop()
    moments: list[float] = []

    async def make() -> None:
        moments.append(loop.time())

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(rate_limit.make(make))

    assert moments[-1] - moments[0] >= 3 / 50 - 0.01


async def test_busy_is_waited_for_as_it_says():
    loop = asyncio.get_running_loop()
    said, began = [BusyError("quota", retry_after_s=0.3), BusyError("quota")], loop.time()

    async def make() -> str:
        if said:
            raise said.pop(0)
        return "made"

    assert await MachineRateLimit(at_once=1, pause_s=0.01).make(make) == "made"
    assert loop.time() - began >= 0.3


async def test_busy_that_says_at_once_is_left_alone_for_a_while():
    asked = 0

    async def make() -> None:
        nonlocal asked
        asked += 1
        raise BusyError("quota", retry_after_s=0.0)

    with pytest.raises(BusyError):
        await MachineRateLimit(at_once=1, patience_s=0.5, pause_s=0.05).make(make)
    assert asked <= 5


async def test_patience_ends_with_its_last_word():
    asked = 0

    async def make() -> None:
        nonlocal asked
        asked += 1
        raise BusyError(f"quota {asked}", retry_after_s=0.02)

    with pytest.raises(BusyError, match="quota"):
        await MachineRateLimit(at_once=1, patience_s=0.05, pause_s=0.01).make(make)
    assert 2 <= asked <= 3


async def test_what_is_not_busy_is_raised_at_once():
    asked = 0

    async def make() -> None:
        nonlocal asked
        asked += 1
        raise DeniedError("wrong key")

    with pytest.raises(DeniedError):
        await MachineRateLimit(at_once=1).make(make)
    assert asked == 1
