"""Machines of this process: a row before each, none left behind, kept alive, ended in time."""

import asyncio
from collections.abc import Collection, Sequence

import pytest

from tests.support.clouds.memory import MemoryCloud
from tests.support.registers import Desk, MemoryRegister
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote import machines as admission_module
from yudai.sandboxes.backends.remote.cloud import (
    BOX,
    INSTALLATION,
    BusyError,
    DeniedError,
    Machine,
    Order,
)
from yudai.sandboxes.backends.remote.machines import Admission, Crew, Member
from yudai.sandboxes.backends.remote.rate_limit import Pace
from yudai.sandboxes.backends.remote.reap import ENDED, Watch
from yudai.sandboxes.port import Fate, SandboxLimits
from yudai.sandboxes.register import BoxEntry
from yudai.store.holders import DEAD_S


class Yard:
    """A crew, its cloud and its register."""

    def __init__(
        self,
        *,
        at_once: int = 8,
        lifetime_s: float = 3600.0,
        ttl_s: float = 900.0,
        desk: Desk | None = None,
        at_most: int | None = None,
        waits: bool = True,
        beat_s: float = 0.01,
    ):
        self.cloud = MemoryCloud()
        self.limits = SandboxLimits(lifetime_s=lifetime_s)
        self.register = MemoryRegister(desk)
        self.crew = Crew(
            self.cloud,
            self.register,
            Pace(at_once=at_once, pause_s=0.01),
            ttl_s=ttl_s,
            beat_s=beat_s,
            admission=Admission(self.register, at_most=at_most, waits=waits),
        )

    def wanted(self, name: str) -> tuple[BoxEntry, Order]:
        tags = {INSTALLATION: self.register.desk.name, BOX: name}
        entry = BoxEntry(id=name, backend="memory", owner="me")
        return entry, Order(key=f"yudai-{name}", tags=tags, limits=self.limits, ttl_s=900)

    async def hire_all(self, names: str) -> Sequence[Member | SandboxError]:
        entries, orders = zip(*map(self.wanted, names), strict=True)
        return await self.crew.hire_all(list(zip(entries, orders, strict=True)))

    async def open_rows(self) -> list[str]:
        return [row.id for row in await self.register.boxes("memory")]


async def test_the_row_is_there_before_the_machine():
    yard = Yard()
    seen: list[str] = []
    yard.cloud.on_create = lambda order: seen.extend(
        box for box in yard.register.desk.boxes if order.key == f"yudai-{box}"
    )

    member = await yard.crew.hire(*yard.wanted("a"))

    assert seen == ["a"]
    [row] = await yard.register.boxes("memory")
    assert row.external == member.machine.id
    await yard.crew.close()
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


@pytest.mark.parametrize("error", [SandboxError("no"), DeniedError("wrong key")])
async def test_a_creation_that_fails_leaves_nothing(error: SandboxError):
    yard = Yard(at_once=1)
    yard.cloud.creating = [error]

    with pytest.raises(type(error)):
        await yard.crew.hire(*yard.wanted("a"))

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])
    # Its place is free again.
    await asyncio.wait_for(yard.crew.hire(*yard.wanted("b")), 5)
    await yard.crew.close()


async def test_a_lost_answer_leaves_no_machine():
    yard = Yard()
    yard.cloud.losing = [SandboxError("the answer was lost")]

    with pytest.raises(SandboxError):
        await yard.crew.hire(*yard.wanted("a"))

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_nor_does_one_that_cannot_be_looked_up_now():
    """Its row is nobody's: the next sweep finds the machine and knows that it is over."""
    yard = Yard()
    yard.cloud.losing, yard.cloud.listing = [SandboxError("lost")], [SandboxError("away")]

    with pytest.raises(SandboxError, match="lost"):
        await yard.crew.hire(*yard.wanted("a"))

    assert len(yard.cloud.machines) == 1
    [row] = await yard.register.boxes("memory")
    assert (row.id, row.is_held, row.is_ended) == ("a", False, True)
    [leftover] = await Watch().reap(yard.cloud, yard.register, holds=yard.crew.holds)
    assert (leftover.id, leftover.why) == ("m0", ENDED)
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_cancelled_while_it_is_made():
    yard = Yard(at_once=1)
    yard.cloud.gate = asyncio.Event()
    hiring = asyncio.create_task(yard.crew.hire(*yard.wanted("a")))
    while not yard.cloud.machines:  # noqa: ASYNC110 - what is made here has no event
        await asyncio.sleep(0)

    hiring.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hiring

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])
    yard.cloud.gate = None
    await asyncio.wait_for(yard.crew.hire(*yard.wanted("b")), 5)
    await yard.crew.close()


async def test_a_busy_provider_is_asked_again_and_made_once():
    yard = Yard()
    yard.cloud.creating = [BusyError("quota", retry_after_s=0.0)] * 3

    await yard.crew.hire(*yard.wanted("a"))

    assert len(yard.cloud.orders) == 4
    assert len(yard.cloud.machines) == 1
    await yard.crew.close()


async def test_copies_have_rows_of_their_own():
    yard = Yard()

    members = await yard.hire_all("abc")

    assert all(isinstance(member, Member) for member in members)
    assert len(yard.cloud.orders) == 1
    assert sorted(await yard.open_rows()) == ["a", "b", "c"]
    await yard.crew.close()
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


@pytest.mark.parametrize("forks", [SandboxError("not now"), NotImplementedError("never")])
async def test_where_there_are_no_copies_each_is_made_anew(forks: Exception):
    yard = Yard(at_once=3)
    yard.cloud.forking = forks

    members = await asyncio.wait_for(yard.hire_all("abc"), 5)

    assert all(isinstance(member, Member) for member in members)
    assert [order.key for order in yard.cloud.orders] == ["yudai-a", "yudai-b", "yudai-c"]
    assert len(yard.cloud.machines) == 3
    await yard.crew.close()


async def test_one_that_was_not_copied_is_made_anew(monkeypatch: pytest.MonkeyPatch):
    yard = Yard(at_once=3)
    fork = yard.cloud.fork

    async def half(source: Machine, wanted: Sequence[Order]) -> Sequence[Machine | SandboxError]:
        return [SandboxError("no room"), *await fork(source, wanted[1:])]

    monkeypatch.setattr(yard.cloud, "fork", half)

    members = await yard.hire_all("abc")

    assert [m.entry.id for m in members if isinstance(m, Member)] == ["a", "b", "c"]
    assert [order.key for order in yard.cloud.orders] == ["yudai-a", "yudai-b"]
    await yard.crew.close()
    assert yard.cloud.machines == {}


async def test_copies_are_noted_before_others_are_waited_for():
    """Else a sweep would take a copy for a stranger: it has the tags of another."""
    yard = Yard(at_once=3)
    fork, told = yard.cloud.fork, asyncio.Event()

    async def half(source: Machine, wanted: Sequence[Order]) -> Sequence[Machine | SandboxError]:
        yard.cloud.gate = told
        return [SandboxError("no room"), *await fork(source, wanted[1:])]

    yard.cloud.fork = half  # type: ignore[method-assign]
    hiring = asyncio.create_task(yard.hire_all("abc"))
    while len(yard.cloud.machines) < 3:  # noqa: ASYNC110 - what is made here has no event
        await asyncio.sleep(0)

    rows = {row.id: row.external for row in await yard.register.boxes("memory")}
    assert (rows["a"], rows["b"], rows["c"]) == ("m0", "", "m1")
    told.set()
    assert all(isinstance(member, Member) for member in await hiring)
    await yard.crew.close()


async def test_the_first_may_fail_alone():
    yard = Yard(at_once=3)
    yard.cloud.creating = [SandboxError("no room")]

    first, *others = await yard.hire_all("abc")

    assert isinstance(first, SandboxError)
    assert all(isinstance(member, Member) for member in others)
    assert sorted(await yard.open_rows()) == ["b", "c"]
    await yard.crew.close()


async def test_those_who_want_several_do_not_wait_for_each_other():
    """Each would have one place of two, and wait for the other's for ever."""
    yard = Yard(at_once=2)

    async def use(names: str) -> None:
        for member in await yard.hire_all(names):
            assert isinstance(member, Member)
            await asyncio.sleep(0)
            await yard.crew.dismiss(member.entry.id)

    await asyncio.wait_for(asyncio.gather(*map(use, ("ab", "cd", "ef"))), 5)
    assert yard.cloud.machines == {}
    await yard.crew.close()


async def test_a_deletion_that_is_refused_is_left_to_the_next_sweep():
    yard = Yard(at_once=1, at_most=1)
    member = await yard.crew.hire(*yard.wanted("a"))
    yard.cloud.killing = [SandboxError("denied")] * 2

    await yard.crew.dismiss("a")

    assert list(yard.cloud.machines) == [member.machine.id]
    [row] = await yard.register.boxes("memory")
    assert (row.is_held, row.is_ended, row.external) == (False, True, member.machine.id)
    # It may stay for ever, and takes no place from others.
    await asyncio.wait_for(yard.crew.hire(*yard.wanted("b")), 5)
    watch = Watch()
    for fate in (Fate.REFUSED, Fate.REAPED):
        [leftover] = await watch.reap(yard.cloud, yard.register, holds=yard.crew.holds)
        assert (leftover.id, leftover.why, leftover.fate) == (member.machine.id, ENDED, fate)
    assert yard.register.desk.boxes["a"].reaped
    assert await yard.open_rows() == ["b"]
    await yard.crew.close()


async def test_what_others_have_closed_is_kept_and_noted_again():
    """They have not heard of us for a minute; their engine does not have our machines."""
    desk = Desk()
    yard, other = Yard(desk=desk, beat_s=900), Yard(desk=desk)
    yard.cloud.forking = SandboxError("no copies")
    await yard.hire_all("ab")
    desk.ahead_s += DEAD_S + 1
    await Watch().reap(other.cloud, other.register)
    assert await yard.open_rows() == []

    assert await Watch().reap(yard.cloud, yard.register, holds=yard.crew.holds) == []
    await yard.crew.beat()

    assert len(yard.cloud.machines) == 2
    assert [row.is_held for row in await other.register.boxes("memory")] == [True, True]
    await yard.crew.close()
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_one_that_is_still_being_made_is_kept_although_its_row_is_closed():
    yard = Yard()
    yard.cloud.gate = asyncio.Event()
    hiring = asyncio.create_task(yard.crew.hire(*yard.wanted("a")))
    while not yard.cloud.machines:  # noqa: ASYNC110 - what is made here has no event
        await asyncio.sleep(0)
    await yard.register.close_box("a")

    assert await Watch().reap(yard.cloud, yard.register, holds=yard.crew.holds) == []

    yard.cloud.gate.set()
    await hiring
    await yard.crew.beat()
    assert await yard.open_rows() == ["a"]
    await yard.crew.close()


async def test_one_that_we_close_while_we_beat_is_not_left_open(monkeypatch: pytest.MonkeyPatch):
    yard = Yard(beat_s=900)
    await yard.crew.hire(*yard.wanted("a"))
    beat = yard.register.beat

    async def late(held: Collection[str]) -> set[str]:
        await yard.crew.dismiss("a")
        return await beat(held)

    monkeypatch.setattr(yard.register, "beat", late)
    await yard.crew.beat()

    assert await yard.open_rows() == []
    await yard.crew.close()


async def test_it_is_kept_alive():
    yard = Yard(ttl_s=0.03)
    member = await yard.crew.hire(*yard.wanted("a"))
    machine = yard.cloud.machines[member.machine.id]
    async with asyncio.timeout(10):
        while len(machine.extended) < 3:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)

    assert set(machine.extended) == {0.03}
    await yard.crew.close()


async def test_never_beyond_its_lifetime_and_then_ended_with_the_reason():
    yard = Yard(lifetime_s=0.2, ttl_s=0.06)
    member = await yard.crew.hire(*yard.wanted("a"))
    machine, told = yard.cloud.machines[member.machine.id], asyncio.Queue[str]()

    async def end(why: str) -> None:
        await yard.crew.dismiss("a")
        told.put_nowait(why)

    member.end = end
    why = await asyncio.wait_for(told.get(), 10)

    assert "SANDBOX_LIFETIME_MINUTES" in why
    assert all(seconds <= 0.06 for seconds in machine.extended)
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])
    await yard.crew.close()


async def test_one_that_is_gone_when_it_is_extended_is_told_so():
    yard = Yard(ttl_s=0.03)
    member = await yard.crew.hire(*yard.wanted("a"))
    told = asyncio.Queue[str]()

    async def end(why: str) -> None:
        await yard.crew.dismiss("a")
        told.put_nowait(why)

    member.end = end
    yard.cloud.machines.clear()

    assert await asyncio.wait_for(told.get(), 10) == "it has ended"
    assert await yard.open_rows() == []
    await yard.crew.close()


async def test_a_register_that_is_away_for_a_beat_ends_nothing(monkeypatch: pytest.MonkeyPatch):
    yard = Yard()
    beats = 0

    async def beat(_: object) -> set[str]:
        nonlocal beats
        beats += 1
        raise ConnectionError("the database is away")

    monkeypatch.setattr(yard.register, "beat", beat)
    await yard.crew.hire(*yard.wanted("a"))
    async with asyncio.timeout(10):
        while beats < 3:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)

    assert len(yard.cloud.machines) == 1
    await yard.crew.close()


async def test_nor_does_it_let_the_provider_end_them(monkeypatch: pytest.MonkeyPatch):
    yard = Yard(ttl_s=0.03)
    member = await yard.crew.hire(*yard.wanted("a"))

    async def beat(_: object) -> set[str]:
        raise ConnectionError("the database is away")

    monkeypatch.setattr(yard.register, "beat", beat)
    machine = yard.cloud.machines[member.machine.id]
    before = len(machine.extended)
    async with asyncio.timeout(10):
        while len(machine.extended) < before + 3:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)
    await yard.crew.close()


async def test_a_slow_provider_does_not_keep_us_from_saying_that_we_live(
    monkeypatch: pytest.MonkeyPatch,
):
    yard, beats = Yard(ttl_s=0.03), asyncio.Queue[None]()

    async def beat(_: object) -> set[str]:
        await beats.put(None)
        return set()

    monkeypatch.setattr(yard.register, "beat", beat)
    member = await yard.crew.hire(*yard.wanted("a"))
    hangs = asyncio.Event()

    async def extend(_: float) -> None:
        await hangs.wait()

    monkeypatch.setattr(member.machine, "extend", extend)
    async with asyncio.timeout(10):
        for _ in range(10):
            await beats.get()
    hangs.set()
    await yard.crew.close()


async def test_an_end_is_whole_although_its_caller_is_cancelled(monkeypatch: pytest.MonkeyPatch):
    yard, goes_on = Yard(at_once=1), asyncio.Event()
    await yard.crew.hire(*yard.wanted("a"))
    kill = yard.cloud.kill

    async def slow(machine_id: str) -> bool:
        await goes_on.wait()
        return await kill(machine_id)

    monkeypatch.setattr(yard.cloud, "kill", slow)
    ending = asyncio.create_task(yard.crew.dismiss("a"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    goes_on.set()

    await asyncio.wait_for(yard.crew.hire(*yard.wanted("b")), 5)
    assert await yard.open_rows() == ["b"]
    assert len(yard.cloud.machines) == 1
    await yard.crew.close()


async def test_places_are_given_back_once(monkeypatch: pytest.MonkeyPatch):
    """One fails, and then the rest: no more places are free afterwards than there are."""
    yard = Yard(at_once=3)
    yard.cloud.creating = [SandboxError("no room")]

    async def refuse(box_id: str, external: str) -> None:
        raise ConnectionError(f"the database is away: {box_id} {external}")

    monkeypatch.setattr(yard.register, "name_box", refuse)
    with pytest.raises(ConnectionError):
        await yard.hire_all("abc")
    monkeypatch.undo()

    for name in "def":
        await asyncio.wait_for(yard.crew.hire(*yard.wanted(name)), 5)
    full = asyncio.create_task(yard.crew.hire(*yard.wanted("g")))
    await asyncio.sleep(0.05)
    assert not full.done()
    full.cancel()
    await asyncio.wait([full])
    await yard.crew.close()
    assert yard.cloud.machines == {}


async def _first_dies(
    yard: Yard, gate: asyncio.Event
) -> asyncio.Task[Sequence[Member | SandboxError]]:
    """While the others are being made, of which there are no copies."""
    yard.cloud.forking = SandboxError("no forks now")
    create = yard.cloud.create

    async def slow(order: Order) -> Machine:
        if order.key != "yudai-a":
            await gate.wait()
        return await create(order)

    yard.cloud.create = slow  # type: ignore[method-assign]
    hiring = asyncio.create_task(yard.hire_all("abc"))
    async with asyncio.timeout(10):
        while not yard.cloud.machines:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.001)
        yard.cloud.machines.clear()
        while "a" in await yard.open_rows():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)
    return hiring


async def test_one_that_died_meanwhile_gives_its_place_back_once():
    yard = Yard(at_once=3, ttl_s=0.03)
    hiring = await _first_dies(yard, asyncio.Event())
    hiring.cancel()
    await asyncio.wait([hiring])

    await asyncio.wait_for(yard.crew._pace.enter(3), 5)
    full = asyncio.create_task(yard.crew._pace.enter())
    await asyncio.sleep(0.05)
    assert not full.done()
    full.cancel()
    await asyncio.wait([full])
    await yard.crew.close()


async def test_one_that_died_meanwhile_is_given_to_nobody():
    yard, gate = Yard(at_once=3, ttl_s=0.03), asyncio.Event()
    hiring = await _first_dies(yard, gate)
    gate.set()

    first, *others = await hiring

    assert isinstance(first, SandboxError)
    assert (first.cause, str(first)) == (Cause.SANDBOX_LOST, "it has ended")
    assert all(isinstance(member, Member) for member in others)
    await yard.crew.close()


async def test_all_are_ended_at_once(monkeypatch: pytest.MonkeyPatch):
    yard, kill, ending = Yard(), MemoryCloud.kill, 0
    for name in "abcd":
        await yard.crew.hire(*yard.wanted(name))

    async def together(machine_id: str) -> bool:
        nonlocal ending
        ending += 1
        async with asyncio.timeout(10):
            while ending < 4:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.005)
        return await kill(yard.cloud, machine_id)

    monkeypatch.setattr(yard.cloud, "kill", together)
    await yard.crew.close()

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_all_processes_together_have_so_many_places(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(admission_module, "_FIRST_PAUSE_S", 0.01)
    desk = Desk()
    one, other = Yard(desk=desk, at_most=3), Yard(desk=desk, at_most=3)
    await one.hire_all("ab")
    waiting = asyncio.create_task(other.hire_all("cd"))
    await asyncio.sleep(0.1)
    assert (waiting.done(), other.cloud.machines) == (False, {})
    # Who wants less is not kept by who waits elsewhere.
    await asyncio.wait_for(one.crew.hire(*one.wanted("e")), 5)

    await one.crew.dismiss("a")
    await one.crew.dismiss("e")

    await asyncio.wait_for(waiting, 5)
    assert sorted(await one.open_rows()) == ["b", "c", "d"]
    await one.crew.close()
    await other.crew.close()


async def test_a_dead_process_has_no_places():
    desk = Desk()
    one, other = Yard(desk=desk, at_most=2), Yard(desk=desk, at_most=2)
    await one.hire_all("ab")
    await desk.kill(one.register)

    await asyncio.wait_for(other.hire_all("cd"), 5)

    await other.crew.close()
    await one.crew.close()


async def test_who_does_not_wait_is_told_that_all_are_taken():
    desk = Desk()
    one, doctor = Yard(desk=desk, at_most=2), Yard(desk=desk, at_most=2, waits=False)
    await one.hire_all("ab")

    with pytest.raises(BusyError, match=r"all 2 sandboxes .* are in use"):
        await doctor.crew.hire(*doctor.wanted("c"))

    assert sorted(await one.open_rows()) == ["a", "b"]
    await one.crew.close()
    await asyncio.wait_for(doctor.crew.hire(*doctor.wanted("d")), 5)
    await doctor.crew.close()


async def test_who_gives_up_waiting_has_no_place_and_no_row(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(admission_module, "_FIRST_PAUSE_S", 0.01)
    desk = Desk()
    one, other = Yard(desk=desk, at_most=2), Yard(desk=desk, at_most=2, at_once=2)
    await one.hire_all("ab")
    waiting = asyncio.create_task(other.hire_all("cd"))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert sorted(await one.open_rows()) == ["a", "b"]
    await one.crew.close()

    await asyncio.wait_for(other.hire_all("ef"), 5)
    await other.crew.close()
