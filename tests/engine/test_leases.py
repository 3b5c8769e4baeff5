"""Renewing a lease, losing it, and taking over from whoever lost its own.

On SQLite, where time is ours to set; the queries are tested on both databases, and workers that
really die on PostgreSQL.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from yudai.engine import queries as workers
from yudai.engine.leases import Lease, LeaseTimings, TakeoverWatcher
from yudai.kit.clock import SystemClock
from yudai.kit.ids import WorkerId
from yudai.store.holders import Holder
from yudai.store.store import Store

QUICK = LeaseTimings(beat_s=0.02, lost_s=30, leave_s=20)
HASTY = LeaseTimings(beat_s=0.02, lost_s=0.3, leave_s=20)
US = Holder(WorkerId("us"), "here", 1, durable=True)
THEM = Holder(WorkerId("them"), "there", 2, durable=True)


class SetClock(SystemClock):
    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest_asyncio.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


class Adopter:
    def __init__(self, *, failing: int = 0) -> None:
        self.adopted: list[str] = []
        self.failing = failing
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def __call__(self, dead: WorkerId) -> None:
        self.adopted.append(dead)
        await self.go_on.wait()
        if self.failing > 0:
            self.failing -= 1
            raise ConnectionError("away")


NewWatcher = Callable[..., TakeoverWatcher]


@pytest.fixture
def new_watcher(store: Store, clock: SetClock) -> NewWatcher:
    def build(adopt: Adopter, name: str = US.id, **others: Any) -> TakeoverWatcher:
        return TakeoverWatcher(store, clock, WorkerId(name), adopt, timings=QUICK, **others)

    return build


async def enrol(store: Store, holder: Holder = THEM, *, stopped: bool = False) -> None:
    async with store.change() as db:
        await workers.enrol(db, holder, now=1000.0)
        if stopped:
            await workers.stop(db, holder)


async def known(store: Store) -> dict[str, float]:
    """Everybody's last beat."""
    async with store.read() as db:
        found = await workers.peers(db, WorkerId("nobody"), now=0)
    return {peer.holder.id: peer.beat_at for peer in found}


async def until_known(store: Store, is_so: Callable[[dict[str, float]], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so(await known(store)):  # noqa: ASYNC110 - what is asked is the database
            await asyncio.sleep(0.02)


def cut_off(store: Store, stack: AsyncExitStack) -> None:
    """The database is away, from now on until the end of the block."""

    def refuse(*_: object) -> None:
        raise OperationalError("", {}, ConnectionError("away"))

    engine = store.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", refuse)
    stack.callback(event.remove, engine, "before_cursor_execute", refuse)


async def test_a_lease_is_renewed_and_ends_at_once_for_the_others(store: Store, clock: SetClock):
    async with Lease(store, clock, US, timings=QUICK) as lease:
        assert await known(store) == {"us": 1000.0}
        clock.time = 1001.0
        await until_known(store, lambda seen: seen == {"us": 1001.0})
        assert not lease.lost.is_set()
    assert await known(store) == {"us": 0.0}


async def test_what_no_one_can_take_over_leaves_nothing(store: Store, clock: SetClock):
    async with Lease(store, clock, US._replace(durable=False), timings=QUICK):
        assert list(await known(store)) == ["us"]
    assert await known(store) == {}


async def test_it_is_lost_when_another_process_takes_over(store: Store, clock: SetClock):
    async with Lease(store, clock, US, timings=QUICK) as lease:
        async with store.change() as db:
            await workers.remove(db, US.id)
        async with asyncio.timeout(20):
            await lease.lost.wait()
        assert await known(store) == {}
    # Something may have been begun meanwhile: it has to be taken over from again.
    assert await known(store) == {"us": 0.0}


async def test_it_is_lost_when_it_cannot_be_renewed_in_time(store: Store, clock: SetClock):
    async with AsyncExitStack() as stack:
        lease = await stack.enter_async_context(Lease(store, clock, US, timings=HASTY))
        cut_off(store, stack)
        async with asyncio.timeout(20):
            await lease.lost.wait()
    assert await known(store) == {"us": 0.0}


async def test_leaving_is_not_held_up_by_a_database_that_is_away(store: Store, clock: SetClock):
    async with (
        AsyncExitStack() as stack,
        asyncio.timeout(20),
        Lease(store, clock, US, timings=QUICK),
    ):
        cut_off(store, stack)
    assert await known(store) == {"us": 1000.0}


async def test_a_short_absence_of_the_database_is_survived(store: Store, clock: SetClock):
    async with Lease(store, clock, US, timings=QUICK) as lease:
        async with AsyncExitStack() as stack:
            cut_off(store, stack)
            clock.time = 1001.0
            await asyncio.sleep(5 * QUICK.beat_s)
        await until_known(store, lambda seen: seen == {"us": 1001.0})
        assert not lease.lost.is_set()


async def test_who_stopped_is_taken_over_from_at_once(store: Store, new_watcher: NewWatcher):
    await enrol(store, stopped=True)
    adopt = Adopter()
    async with new_watcher(adopt).watching():
        await until_known(store, lambda seen: not seen)
    assert adopt.adopted == ["them"]


async def test_who_is_silent_is_taken_over_from_when_its_time_is_up(
    store: Store, clock: SetClock, new_watcher: NewWatcher
):
    await enrol(store)
    adopt = Adopter()
    watcher = new_watcher(adopt)
    clock.time += QUICK.dead_s - 0.1
    await watcher.check_peers()
    assert not watcher._adopting
    clock.time += 0.1
    async with watcher.watching():
        await until_known(store, lambda seen: not seen)
    assert adopt.adopted == ["them"]


async def test_whose_process_is_gone_is_taken_over_from_at_once(
    store: Store, new_watcher: NewWatcher
):
    await enrol(store)
    await enrol(store, THEM._replace(id=WorkerId("others"), pid=3))
    adopt = Adopter()
    watcher = new_watcher(adopt, is_gone=lambda host, pid: (host, pid) == ("there", 2))
    async with watcher.watching():
        await until_known(store, lambda seen: list(seen) == ["others"])
    assert adopt.adopted == ["them"]


async def test_who_leaves_nothing_is_only_forgotten(store: Store, new_watcher: NewWatcher):
    await enrol(store, THEM._replace(durable=False))
    adopt = Adopter()
    async with new_watcher(adopt, is_gone=lambda *_: True).watching():
        await until_known(store, lambda seen: not seen)
    assert not adopt.adopted


async def test_taking_over_is_tried_again(store: Store, new_watcher: NewWatcher):
    await enrol(store, stopped=True)
    adopt = Adopter(failing=2)
    async with new_watcher(adopt).watching():
        await until_known(store, lambda seen: not seen)
    assert adopt.adopted == ["them"] * 3


async def test_who_takes_long_over_it_is_not_replaced(
    store: Store, clock: SetClock, new_watcher: NewWatcher
):
    await enrol(store, stopped=True)
    slow, other = Adopter(), Adopter()
    slow.go_on.clear()
    watcher, rival = new_watcher(slow), new_watcher(other, "rival")
    for _ in range(4):
        await watcher.check_peers()
        clock.time += QUICK.dead_s - 0.1
        await rival.check_peers()
    assert not rival._adopting
    slow.go_on.set()
    await until_known(store, lambda seen: not seen)
    assert slow.adopted == ["them"]


async def test_who_died_over_it_is_replaced(store: Store, clock: SetClock, new_watcher: NewWatcher):
    await enrol(store, stopped=True)
    dying, other = Adopter(), Adopter()
    dying.go_on.clear()
    ghost = new_watcher(dying, "ghost")
    await ghost.check_peers()
    clock.time += QUICK.dead_s
    async with new_watcher(other).watching():
        await until_known(store, lambda seen: not seen)
    assert other.adopted == ["them"]
    # Had it only slept, it would find nothing left to do.
    dying.go_on.set()
    await asyncio.wait(ghost._adopting.values())
    assert await known(store) == {}


async def test_one_of_many_takes_over(store: Store, new_watcher: NewWatcher):
    await enrol(store, stopped=True)
    adopt = Adopter()
    async with AsyncExitStack() as stack:
        for number in range(4):
            await stack.enter_async_context(new_watcher(adopt, f"watcher-{number}").watching())
        await until_known(store, lambda seen: not seen)
    assert adopt.adopted == ["them"]


async def test_leaving_in_the_middle_of_it_ends_it(store: Store, new_watcher: NewWatcher):
    await enrol(store, stopped=True)
    adopt = Adopter()
    adopt.go_on.clear()
    watcher = new_watcher(adopt)
    async with watcher.watching(), asyncio.timeout(20):
        while not adopt.adopted:  # noqa: ASYNC110 - in another task
            await asyncio.sleep(0)
    assert not watcher._adopting
    assert list(await known(store)) == ["them"]


async def test_an_unknown_worker_that_is_busy_is_taken_over(store: Store, new_watcher: NewWatcher):
    await enrol(store, US)

    async def busy() -> set[WorkerId]:
        return set() if adopt.adopted else {US.id, WorkerId("stray")}

    adopt = Adopter()
    async with new_watcher(adopt, busy=busy).watching():
        await until_known(store, lambda seen: bool(adopt.adopted) and list(seen) == ["us"])
    assert adopt.adopted == ["stray"]
