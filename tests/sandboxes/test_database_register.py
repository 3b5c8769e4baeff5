"""The register when the database is away, and turns that are renewed; the rest is a contract.

On SQLite, where time is ours to set.
"""

import asyncio
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from yudai.engine.adapters.host_processes import host_name, is_gone, is_there
from yudai.kit.clock import SystemClock
from yudai.kit.ids import WorkerId
from yudai.operations.overview import SandboxOverview
from yudai.runs.queries import sandbox_tags
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.database_register import DatabaseRegister
from yudai.sandboxes.register import SandboxEntry
from yudai.store.holders import DEAD_S, Liveness, Seen
from yudai.store.outages import StoreAwayError
from yudai.store.store import Store

BASE = ("e2b", "k")


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


@pytest.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


NewRegister = Callable[..., DatabaseRegister]


@pytest.fixture
def new_register(store: Store, clock: SetClock) -> NewRegister:
    def build(holder: str = "us", **changes: Any) -> DatabaseRegister:
        return DatabaseRegister(
            store,
            clock,
            holder=WorkerId(holder),
            host="here",
            pid=1,
            tags_of=sandbox_tags,
            **changes,
        )

    return build


@contextmanager
def away(store: Store) -> Generator[None]:
    """The database is away for the time of the block."""

    def refuse(*_: object) -> None:
        raise OperationalError("", {}, ConnectionError("away"), connection_invalidated=True)

    engine = store.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", refuse)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", refuse)


def sandbox(sandbox_id: str) -> SandboxEntry:
    return SandboxEntry(id=sandbox_id, backend="e2b", owner="run")


async def builder(store: Store, clock: SetClock) -> Seen | None:
    async with store.read() as db:
        return await sandboxes.builder(db, *BASE, now=clock.now())


async def until_renewed(store: Store, clock: SetClock) -> bool:
    """False: it is nobody's turn."""
    while (seen := await builder(store, clock)) and seen.silent_s > 0:  # noqa: ASYNC110 - no event
        await asyncio.sleep(0.02)
    return seen is not None


async def test_without_a_row_there_is_no_sandbox(store: Store, new_register: NewRegister):
    register = new_register()
    with away(store), pytest.raises(StoreAwayError):
        await register.open_sandboxes([sandbox("a")])
    assert await register.sandboxes("e2b") == []
    await register.open_sandboxes([sandbox("a")])
    assert [entry.id for entry in await register.sandboxes("e2b")] == ["a"]


async def test_what_could_not_be_removed_is_reported_as_leaked(
    store: Store, new_register: NewRegister, clock: SetClock
):
    register = new_register()
    await register.open_sandboxes([sandbox("a"), sandbox("b")])
    with away(store), pytest.raises(StoreAwayError):
        await register.let_go("a")
    await register.beat()

    # Its process is alive and of this machine, and holds the other one.
    sandbox_overview = SandboxOverview(store, clock, Liveness(is_there=lambda _, pid, __: pid == 1))
    clock.time += DEAD_S + 1
    numbers = await sandbox_overview.count()
    assert (numbers.held, numbers.leaked) == ({"e2b": 1}, {"e2b": 1})
    told = {view.id: view.held for view in (await sandbox_overview.list()).sandboxes}
    assert told == {"a": False, "b": True}


async def test_whose_machine_a_host_is(new_register: NewRegister):
    theirs = new_register("them")
    await theirs.open_sandboxes([sandbox("a")])
    for is_near in (True, False):
        register = new_register(is_here=lambda host, is_near=is_near: is_near and host == "here")
        assert [entry.is_here for entry in await register.sandboxes("e2b")] == [is_near]


@pytest.mark.parametrize("later", ["beat", "sandboxes"])
async def test_an_end_that_could_not_be_written_is_written_later(
    store: Store, new_register: NewRegister, later: str
):
    register, other = new_register(), new_register("other")
    await register.open_sandboxes([sandbox("a")])
    with away(store), pytest.raises(StoreAwayError):
        await register.close_sandbox("a")
    assert len(await other.sandboxes("e2b")) == 1
    await (register.beat() if later == "beat" else register.sandboxes("e2b"))
    assert await other.sandboxes("e2b") == []


async def test_an_end_that_was_written_by_hand_is_not_written_again(
    store: Store, new_register: NewRegister
):
    register = new_register()
    await register.open_sandboxes([sandbox("a")])
    with away(store), pytest.raises(StoreAwayError):
        await register.close_sandbox("a")
    assert await register.close_sandbox("a")
    await register.open_sandboxes([sandbox("b")])
    await register.beat()
    assert [entry.id for entry in await register.sandboxes("e2b")] == ["b"]


async def test_a_register_remembers_its_installation(store: Store, new_register: NewRegister):
    register = new_register()
    name = await register.installation()
    with away(store):
        assert await register.installation() == name


async def test_a_turn_is_renewed_while_it_lasts(
    store: Store, new_register: NewRegister, clock: SetClock
):
    register = new_register(turn_beat_s=0.02)
    async with asyncio.timeout(20), register.building(*BASE):
        clock.time += DEAD_S + 1
        assert await until_renewed(store, clock)
    assert await builder(store, clock) is None


async def test_a_beat_that_fails_is_tried_again(
    store: Store, new_register: NewRegister, clock: SetClock
):
    register = new_register(turn_beat_s=0.02)
    async with asyncio.timeout(20), register.building(*BASE):
        with away(store):
            await asyncio.sleep(0.1)
        clock.time += 5
        assert await until_renewed(store, clock)


async def test_a_turn_whose_end_could_not_be_written_is_over_for_us_and_later_for_all(
    store: Store, new_register: NewRegister, clock: SetClock
):
    ours, theirs = new_register(), new_register("them")
    async with asyncio.timeout(20):
        async with ours.building(*BASE):
            database = away(store)
            database.__enter__()
        database.__exit__(None, None, None)
        assert await builder(store, clock) is not None
        async with ours.building(*BASE):
            database = away(store)
            database.__enter__()
        database.__exit__(None, None, None)
        clock.time += DEAD_S
        async with theirs.building(*BASE):
            seen = await builder(store, clock)
            assert seen is not None
    assert await builder(store, clock) is None


@pytest.fixture
def sibling() -> Generator[subprocess.Popen[bytes]]:
    """Another process of this machine, which is suspended."""
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        process.send_signal(signal.SIGSTOP)
        yield process
        process.kill()


@pytest.fixture
def theirs(store: Store, clock: SetClock, sibling: subprocess.Popen[bytes]) -> DatabaseRegister:
    clock.time = time.time()
    return DatabaseRegister(
        store,
        clock,
        holder=WorkerId("them"),
        host=host_name(),
        pid=sibling.pid,
        tags_of=sandbox_tags,
    )


@pytest.fixture
def ours(new_register: NewRegister) -> DatabaseRegister:
    return new_register(is_gone=is_gone, is_there=is_there)


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


async def test_sandboxes_of_who_is_there_are_held_however_silent_it_is(
    theirs: DatabaseRegister,
    ours: DatabaseRegister,
    clock: SetClock,
    sibling: subprocess.Popen[bytes],
):
    """A laptop slept, a clock was set forward a little, somebody pressed Ctrl-Z."""
    await theirs.open_sandboxes([sandbox("a")])
    sandbox_overview = SandboxOverview(ours.store, clock, Liveness(is_gone, is_there=is_there))
    clock.time += DEAD_S + 1

    assert [entry.is_held for entry in await ours.sandboxes("e2b")] == [True]
    assert [view.held for view in (await sandbox_overview.list()).sandboxes] == [True]
    assert (await sandbox_overview.count()).leaked == {}

    end(sibling)
    assert [entry.is_held for entry in await ours.sandboxes("e2b")] == [False]
    assert (await sandbox_overview.count()).leaked == {"e2b": 1}


async def test_a_turn_of_who_is_there_lasts_however_silent_it_is(
    theirs: DatabaseRegister,
    ours: DatabaseRegister,
    clock: SetClock,
    sibling: subprocess.Popen[bytes],
):
    async with theirs.building(*BASE):
        clock.time += DEAD_S + 1
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5), ours.building(*BASE):
                raise AssertionError("it was taken over")
        end(sibling)
        async with asyncio.timeout(20), ours.building(*BASE):
            pass


async def test_a_turn_that_is_over_ends_although_its_process_is_there(
    store: Store, new_register: NewRegister, ours: DatabaseRegister
):
    living = new_register("them", turn_beat_s=0.05)
    async with asyncio.timeout(20):
        async with living.building(*BASE):
            database = away(store)
            database.__enter__()
        database.__exit__(None, None, None)
        async with ours.building(*BASE):
            pass
