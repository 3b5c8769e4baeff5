"""Every register keeps this: the one in memory, and the one in a database of each kind."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Protocol

import pytest
from sqlalchemy import text

from tests.support.registers import MemoryRegister, Scene
from tests.support.servers.databases import NewDatabase, new_database
from yudai.kit.clock import SystemClock
from yudai.kit.ids import WorkerId
from yudai.runs.queries import sandbox_tags
from yudai.sandboxes.database_register import DatabaseRegister
from yudai.sandboxes.port import Tags
from yudai.sandboxes.queries import MAX_LOG
from yudai.sandboxes.register import BaseEntry, Register, SandboxEntry
from yudai.store.holders import DEAD_S
from yudai.store.store import Store

__all__ = ["new_database"]

KINDS = ("memory", "sqlite", "postgresql")
TAGS = Tags(solve="s-1", run="r-1", conversation="c-1", issue="o/r#7", user="u-1")
_EARLIER = (
    "UPDATE sandboxes SET beat_at = beat_at - :seconds",
    "UPDATE base_builders SET beat_at = beat_at - :seconds",
)


class Office(Protocol):
    """Where processes register; they can die, or fall silent."""

    def enter(self) -> Register: ...
    async def kill(self, register: Register) -> None: ...
    async def wait(self, seconds: float) -> None:
        """As if nobody had beaten for so long."""
        ...


@dataclass
class MemoryOffice:
    scene: Scene = field(default_factory=Scene)

    def enter(self) -> Register:
        return MemoryRegister(self.scene)

    async def kill(self, register: Register) -> None:
        assert isinstance(register, MemoryRegister)
        await self.scene.kill(register)

    async def wait(self, seconds: float) -> None:
        self.scene.ahead_s += seconds


@dataclass
class DatabaseOffice:
    store: Store
    dead: set[int] = field(default_factory=set)
    entered: int = 0

    def enter(self) -> Register:
        self.entered += 1
        return DatabaseRegister(
            self.store,
            SystemClock(),
            holder=WorkerId(f"process-{self.entered}"),
            host="here",
            pid=self.entered,
            tags_of=sandbox_tags,
            is_gone=lambda host, pid: host == "here" and pid in self.dead,
        )

    async def kill(self, register: Register) -> None:
        assert isinstance(register, DatabaseRegister)
        self.dead.add(register.pid)

    async def wait(self, seconds: float) -> None:
        """PostgreSQL's clock cannot be moved: what it has noted can."""
        async with self.store.change() as db:
            for statement in _EARLIER:
                await db.execute(text(statement), {"seconds": seconds})


@pytest.fixture(params=KINDS)
def database_kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def office(database_kind: str, request: pytest.FixtureRequest) -> AsyncGenerator[Office]:
    if database_kind == "memory":
        yield MemoryOffice()
        return
    new: NewDatabase = request.getfixturevalue("new_database")
    async with await Store.open(new()) as store:
        yield DatabaseOffice(store)


def sandbox(sandbox_id: str, *, backend: str = "e2b", base: str = "") -> SandboxEntry:
    return SandboxEntry(
        id=sandbox_id, backend=backend, owner=f"owner-{sandbox_id}", base=base, tags=TAGS
    )


async def ids(register: Register, backend: str = "e2b") -> list[str]:
    return [entry.id for entry in await register.sandboxes(backend)]


async def is_held(register: Register, sandbox_id: str) -> bool:
    return next(
        entry.is_held for entry in await register.sandboxes("e2b") if entry.id == sandbox_id
    )


async def test_all_of_one_register_have_one_name(office: Office):
    names = {await office.enter().installation() for _ in range(3)}
    assert len(names) == 1
    assert len(names.pop()) == 16


async def test_of_an_owner_of_ours_nothing_is_known(office: Office):
    assert await office.enter().tags("doctor") == Tags()


async def test_a_sandbox_is_there_with_all_that_was_said_until_it_is_closed(office: Office):
    ours, theirs = office.enter(), office.enter()
    await ours.open_sandboxes([sandbox("b-1", base="base")])
    await ours.open_sandboxes([sandbox("b-2", backend="prime")])
    [entry] = await theirs.sandboxes("e2b")
    assert entry.created_at > 1_000_000_000
    assert entry == sandbox("b-1", base="base").model_copy(update={"created_at": entry.created_at})
    await ours.name_sandbox("b-1", "provider's name")
    assert [entry.external for entry in await theirs.sandboxes("e2b")] == ["provider's name"]
    assert await ours.close_sandbox("b-1")
    assert not await theirs.close_sandbox("b-1", reaped=True)
    assert not await ours.close_sandbox("nothing")
    assert await ids(theirs) == []
    assert await ids(theirs, "prime") == ["b-2"]


async def test_what_was_opened_once_is_known_for_ever(office: Office):
    register = office.enter()
    await register.open_sandboxes([sandbox("open")])
    await register.open_sandboxes([sandbox("closed")])
    await register.close_sandbox("closed")
    assert await register.known({"open", "closed", "never"}) == {"open", "closed"}
    assert await register.known(set()) == set()
    many = {f"never-{number}" for number in range(1200)}
    assert await register.known({*many, "open"}) == {"open"}


async def test_opening_twice_is_opening_once(office: Office):
    register = office.enter()
    await register.open_sandboxes([sandbox("b-1")])
    await register.name_sandbox("b-1", "named")
    await register.open_sandboxes([sandbox("b-1")])
    assert [entry.external for entry in await register.sandboxes("e2b")] == ["named"]


async def test_no_more_than_so_many_are_open_at_once(office: Office):
    ours, theirs = office.enter(), office.enter()
    assert await ours.open_sandboxes([sandbox("a"), sandbox("b")], at_most=3)
    assert await theirs.open_sandboxes([sandbox("other", backend="prime")], at_most=1)
    assert not await theirs.open_sandboxes([sandbox("c"), sandbox("d")], at_most=3)
    assert await ids(ours) == ["a", "b"], "all or none"
    assert await theirs.open_sandboxes([sandbox("c")], at_most=3)
    assert await theirs.open_sandboxes([sandbox("c")], at_most=3), (
        "a lost answer is asked for again"
    )
    await ours.close_sandbox("a")
    assert await ours.open_sandboxes([sandbox("d")], at_most=3)
    await office.kill(theirs)
    assert await ours.open_sandboxes([sandbox("e")], at_most=3), "a dead one's do not count"


async def test_all_who_ask_at_once_together_get_no_more(office: Office):
    registers = [office.enter() for _ in range(8)]
    async with asyncio.TaskGroup() as group:
        asked = [
            group.create_task(register.open_sandboxes([sandbox(f"b-{n}")], at_most=3))
            for n, register in enumerate(registers)
        ]
    assert sum(task.result() for task in asked) == 3
    assert len(await ids(registers[0])) == 3


async def test_a_dead_process_holds_nothing(office: Office):
    ours, theirs = office.enter(), office.enter()
    await ours.open_sandboxes([sandbox("ours")])
    await theirs.open_sandboxes([sandbox("theirs")])
    assert await is_held(ours, "theirs")
    await office.kill(theirs)
    assert not await is_held(ours, "theirs")
    assert await is_held(ours, "ours")


async def test_who_is_silent_for_long_holds_nothing_until_it_beats_again(office: Office):
    ours, theirs = office.enter(), office.enter()
    await ours.open_sandboxes([sandbox("ours")])
    await theirs.open_sandboxes([sandbox("theirs")])
    await office.wait(DEAD_S - 10)
    assert await is_held(ours, "theirs")
    await office.wait(20)
    assert not await is_held(ours, "theirs")
    assert await is_held(ours, "ours"), "one's own are held, whatever the beats say"
    await theirs.beat()
    assert await is_held(ours, "theirs")
    assert not await is_held(theirs, "ours")


async def test_what_could_not_be_removed_is_open_and_nobodys(office: Office):
    ours, theirs = office.enter(), office.enter()
    await ours.open_sandboxes([sandbox("a"), sandbox("b")])
    await ours.let_go("a")
    await ours.close_sandbox("b")
    await ours.let_go("b")
    await ours.let_go("never")
    for register in (ours, theirs):
        await register.beat(["a"])
        [entry] = await register.sandboxes("e2b")
        assert (entry.id, entry.is_held, entry.is_ended) == ("a", False, True)
    assert await theirs.open_sandboxes([sandbox("c")], at_most=1), "it has no place"
    assert await theirs.close_sandbox("a", reaped=True)


async def test_what_others_have_closed_is_opened_again_by_who_holds_it(office: Office):
    ours, theirs = office.enter(), office.enter()
    await ours.open_sandboxes([sandbox(name) for name in ("closed", "reaped", "open", "ended")])
    await theirs.open_sandboxes([sandbox("theirs")])
    await office.wait(DEAD_S + 1)
    await theirs.close_sandbox("closed")
    await theirs.close_sandbox("reaped", reaped=True)
    await theirs.close_sandbox("theirs")
    await ours.close_sandbox("ended")
    assert await ours.beat(["closed", "reaped", "open", "theirs", "never"]) == {"closed"}
    assert sorted(await ids(theirs)) == ["closed", "open"]
    assert await is_held(theirs, "closed")
    assert await ours.beat(["closed"]) == set()


async def test_a_base_is_kept_found_used_and_forgotten(office: Office):
    ours, theirs = office.enter(), office.enter()
    assert await ours.find_base("e2b", "k") is None
    given = BaseEntry(backend="e2b", key="k", external="snap", size_bytes=7, setup_log=b"\x00\xff")
    await ours.keep_base(given)
    await ours.keep_base(given.model_copy(update={"backend": "prime"}))
    found = await theirs.find_base("e2b", "k")
    assert found is not None
    assert 1_000_000_000 < found.made_at <= found.used_at < found.made_at + 10
    times = {"made_at": found.made_at, "used_at": found.used_at}
    assert found == given.model_copy(update=times)
    [listed] = await theirs.bases("e2b")
    assert listed == found.model_copy(update={"setup_log": b""})
    await theirs.use_base("e2b", "k")
    used = await ours.find_base("e2b", "k")
    assert used is not None
    assert used.used_at > used.made_at
    await ours.keep_base(given.model_copy(update={"external": "newer"}))
    replaced = await ours.find_base("e2b", "k")
    assert replaced is not None
    assert replaced.external == "newer"
    assert not await ours.forget_base("e2b", "k", "snap"), "it is another one by now"
    assert await ours.forget_base("e2b", "k", "newer")
    assert not await theirs.forget_base("e2b", "k", "newer")
    assert await ours.bases("e2b") == []
    assert len(await ours.bases("prime")) == 1


async def test_a_base_is_kept_by_whose_turn_it_is(office: Office):
    register = office.enter()
    entry = BaseEntry(backend="e2b", key="k", external="x")
    async with register.building("e2b", "k") as turn:
        assert not await register.keep_base(entry, turn="another")
        assert await register.find_base("e2b", "k") is None
        assert await register.keep_base(entry, turn=turn)
    async with register.building("e2b", "k"):
        late = entry.model_copy(update={"external": "late"})
        assert not await register.keep_base(late, turn=turn)
    found = await register.find_base("e2b", "k")
    assert found is not None
    assert found.external == "x"


async def test_a_base_knows_how_many_stand_on_it(office: Office):
    register = office.enter()
    await register.keep_base(BaseEntry(backend="e2b", key="k", external="x"))
    await register.open_sandboxes([sandbox("b-1", base="k")])
    await register.open_sandboxes([sandbox("b-2", base="k")])
    await register.open_sandboxes([sandbox("b-3", base="other")])
    await register.open_sandboxes([sandbox("b-4", base="k", backend="prime")])
    await register.close_sandbox("b-2")
    [listed] = await register.bases("e2b")
    found = await register.find_base("e2b", "k")
    assert found is not None
    assert (listed.users, found.users) == (1, 1)


async def test_what_set_up_printed_is_shortened_in_its_middle(office: Office):
    register = office.enter()
    log = b"begin" + b"x" * (2 * MAX_LOG) + b"the end"
    await register.keep_base(BaseEntry(backend="e2b", key="k", external="x", setup_log=log))
    found = await register.find_base("e2b", "k")
    assert found is not None
    assert len(found.setup_log) <= MAX_LOG
    assert found.setup_log.startswith(b"begin")
    assert found.setup_log.endswith(b"the end")
    assert b"bytes left out" in found.setup_log


class Site:
    """Counts who builds at once; each builder waits until it may go on."""

    def __init__(self) -> None:
        self.at_once = self.most = self.built = 0
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    async def build(self, register: Register, key: str = "k") -> None:
        async with register.building("e2b", key):
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            self.begun.set()
            try:
                await self.go_on.wait()
                self.built += 1
            finally:
                self.at_once -= 1


async def test_one_builds_at_a_time_in_one_process_and_over_all(office: Office):
    ours, theirs = office.enter(), office.enter()
    site = Site()
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        for register in (ours, ours, theirs, theirs):
            group.create_task(site.build(register))
        await site.begun.wait()
        site.go_on.set()
    assert (site.most, site.built) == (1, 4)


async def test_another_base_is_another_turn(office: Office):
    ours, theirs = office.enter(), office.enter()
    site = Site()
    async with asyncio.timeout(20), ours.building("e2b", "k"), ours.building("e2b", "other"):
        site.go_on.set()
        async with theirs.building("prime", "k"):
            pass


async def _died(office: Office, register: Register) -> None:
    await office.kill(register)


async def _fell_silent(office: Office, _: Register) -> None:
    await office.wait(DEAD_S + 1)


END = [pytest.param(_died, id="died"), pytest.param(_fell_silent, id="fell silent")]


@pytest.mark.parametrize("end", END)
async def test_the_turn_of_a_dead_builder_ends(
    office: Office, database_kind: str, end: Callable[[Office, Register], Awaitable[None]]
):
    if database_kind == "memory" and end is _fell_silent:
        pytest.skip("it has no beats of builders")
    ours, theirs = office.enter(), office.enter()
    dead, living = Site(), Site()
    living.go_on.set()
    async with asyncio.timeout(20), AsyncExitStack() as stack:
        frozen = asyncio.create_task(dead.build(theirs))
        stack.callback(frozen.cancel)
        await dead.begun.wait()
        waiting = asyncio.create_task(living.build(ours))
        done, _ = await asyncio.wait([waiting], timeout=0.1)
        assert not done
        await end(office, theirs)
        await waiting
        assert living.built == 1
        # One that was taken for dead ends nobody else's turn when it wakes up.
        async with ours.building("e2b", "k"):
            dead.go_on.set()
            await frozen
            third = asyncio.create_task(living.build(office.enter()))
            done, _ = await asyncio.wait([third], timeout=0.3)
            assert not done
        await third
    assert living.built == 2


async def test_a_turn_ends_with_an_error_and_with_a_cancellation(office: Office):
    ours, theirs = office.enter(), office.enter()
    site = Site()

    async def fail() -> None:
        async with ours.building("e2b", "k"):
            raise RuntimeError("it broke")

    with pytest.raises(RuntimeError, match="it broke"):
        await fail()
    task = asyncio.create_task(site.build(theirs))
    async with asyncio.timeout(20):
        await site.begun.wait()
        waiting = asyncio.create_task(site.build(ours))
        await asyncio.sleep(0)
        waiting.cancel()
        task.cancel()
        await asyncio.wait([waiting, task])
        assert waiting.cancelled()
        assert task.cancelled()
        site.go_on.set()
        await site.build(office.enter())
    assert site.built == 1
