"""Machines of this process: a row before each, none left behind, kept alive, ended in time."""

import asyncio
from collections.abc import Collection, Sequence

import pytest

from tests.support.clouds.memory import MemoryCloud
from tests.support.registers import MemoryRegister, Scene
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote import machines as admission_module
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    BusyError,
    DeniedError,
    Machine,
    MachineSpec,
)
from yudai.sandboxes.backends.remote.machines import Admission, HeldMachine, Machines
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit
from yudai.sandboxes.backends.remote.reap import ENDED, OrphanTracker
from yudai.sandboxes.port import Fate, SandboxLimits
from yudai.sandboxes.register import SandboxEntry
from yudai.store.holders import DEAD_S


class Yard:
    """A crew, its cloud and its register."""

    def __init__(
        self,
        *,
        at_once: int = 8,
        lifetime_s: float = 3600.0,
        ttl_s: float = 900.0,
        scene: Scene | None = None,
        at_most: int | None = None,
        waits: bool = True,
        beat_s: float = 0.01,
    ):
        self.cloud = MemoryCloud()
        self.limits = SandboxLimits(lifetime_s=lifetime_s)
        self.register = MemoryRegister(scene)
        self.machines = Machines(
            self.cloud,
            self.register,
            MachineRateLimit(at_once=at_once, pause_s=0.01),
            ttl_s=ttl_s,
            beat_s=beat_s,
            admission=Admission(self.register, at_most=at_most, waits=waits),
        )

    def wanted(self, name: str) -> tuple[SandboxEntry, MachineSpec]:
        tags = {INSTALLATION: self.register.scene.name, SANDBOX_TAG: name}
        entry = SandboxEntry(id=name, backend="memory", owner="me")
        return entry, MachineSpec(key=f"yudai-{name}", tags=tags, limits=self.limits, ttl_s=900)

    async def create_all(self, names: str) -> Sequence[HeldMachine | SandboxError]:
        entries, machine_specs = zip(*map(self.wanted, names), strict=True)
        return await self.machines.create_all(list(zip(entries, machine_specs, strict=True)))

    async def open_rows(self) -> list[str]:
        return [row.id for row in await self.register.sandboxes("memory")]


async def test_the_row_is_there_before_the_machine():
    yard = Yard()
    seen: list[str] = []
    yard.cloud.on_create = lambda machine_spec: seen.extend(
        sandbox
        for sandbox in yard.register.scene.sandboxes
        if machine_spec.key == f"yudai-{sandbox}"
    )

    member = await yard.machines.create(*yard.wanted("a"))

    assert seen == ["a"]
    [row] = await yard.register.sandboxes("memory")
    assert row.external == member.machine.id
    await yard.machines.close()
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


@pytest.mark.parametrize("error", [SandboxError("no"), DeniedError("wrong key")])
async def test_a_creation_that_fails_leaves_nothing(error: SandboxError):
    yard = Yard(at_once=1)
    yard.cloud.creating = [error]

    with pytest.raises(type(error)):
        await yard.machines.create(*yard.wanted("a"))

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])
    # Its place is free again.
    await asyncio.wait_for(yard.machines.create(*yard.wanted("b")), 5)
    await yard.machines.close()


async def test_a_lost_answer_leaves_no_machine():
    yard = Yard()
    yard.cloud.losing = [SandboxError("the answer was lost")]

    with pytest.raises(SandboxError):
        await yard.machines.create(*yard.wanted("a"))

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_nor_does_one_that_cannot_be_looked_up_now():
    """Its row is nobody's: the next sweep finds the machine and knows that it is over."""
    yard = Yard()
    yard.cloud.losing, yard.cloud.listing = [SandboxError("lost")], [SandboxError("away")]

    with pytest.raises(SandboxError, match="lost"):
        await yard.machines.create(*yard.wanted("a"))

    assert len(yard.cloud.machines) == 1
    [row] = await yard.register.sandboxes("memory")
    assert (row.id, row.is_held, row.is_ended) == ("a", False, True)
    [leftover] = await OrphanTracker().reap(yard.cloud, yard.register, holds=yard.machines.holds)
    assert (leftover.id, leftover.why) == ("m0", ENDED)
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_cancelled_while_it_is_made():
    yard = Yard(at_once=1)
    yard.cloud.gate = asyncio.Event()
    hiring = asyncio.create_task(yard.machines.create(*yard.wanted("a")))
    while not yard.cloud.machines:  # noqa: ASYNC110 - what is made here has no event
        await asyncio.sleep(0)

    hiring.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hiring

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])
    yard.cloud.gate = None
    await asyncio.wait_for(yard.machines.create(*yard.wanted("b")), 5)
    await yard.machines.close()


async def test_a_busy_provider_is_asked_again_and_made_once():
    yard = Yard()
    yard.cloud.creating = [BusyError("quota", retry_after_s=0.0)] * 3

    await yard.machines.create(*yard.wanted("a"))

    assert len(yard.cloud.machine_specs) == 4
    assert len(yard.cloud.machines) == 1
    await yard.machines.close()


async def test_copies_have_rows_of_their_own():
    yard = Yard()

    members = await yard.create_all("abc")

    assert all(isinstance(member, HeldMachine) for member in members)
    assert len(yard.cloud.machine_specs) == 1
    assert sorted(await yard.open_rows()) == ["a", "b", "c"]
    await yard.machines.close()
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


@pytest.mark.parametrize("forks", [SandboxError("not now"), NotImplementedError("never")])
async def test_where_there_are_no_copies_each_is_made_again(forks: Exception):
    yard = Yard(at_once=3)
    yard.cloud.forking = forks

    members = await asyncio.wait_for(yard.create_all("abc"), 5)

    assert all(isinstance(member, HeldMachine) for member in members)
    assert [machine_spec.key for machine_spec in yard.cloud.machine_specs] == [
        "yudai-a",
        "yudai-b",
        "yudai-c",
    ]
    assert len(yard.cloud.machines) == 3
    await yard.machines.close()


async def test_one_that_was_not_copied_is_made_again(monkeypatch: pytest.MonkeyPatch):
    yard = Yard(at_once=3)
    fork = yard.cloud.fork

    async def half(
        source: Machine, wanted: Sequence[MachineSpec]
    ) -> Sequence[Machine | SandboxError]:
        return [SandboxError("no room"), *await fork(source, wanted[1:])]

    monkeypatch.setattr(yard.cloud, "fork", half)

    members = await yard.create_all("abc")

    assert [m.entry.id for m in members if isinstance(m, HeldMachine)] == ["a", "b", "c"]
    assert [machine_spec.key for machine_spec in yard.cloud.machine_specs] == ["yudai-a", "yudai-b"]
    await yard.machines.close()
    assert yard.cloud.machines == {}


async def test_copies_are_noted_before_others_are_waited_for():
    """Else a sweep would take a copy for a stranger: it has the tags of another."""
    yard = Yard(at_once=3)
    fork, told = yard.cloud.fork, asyncio.Event()

    async def half(
        source: Machine, wanted: Sequence[MachineSpec]
    ) -> Sequence[Machine | SandboxError]:
        yard.cloud.gate = told
        return [SandboxError("no room"), *await fork(source, wanted[1:])]

    yard.cloud.fork = half  # type: ignore[method-assign]
    hiring = asyncio.create_task(yard.create_all("abc"))
    while len(yard.cloud.machines) < 3:  # noqa: ASYNC110 - what is made here has no event
        await asyncio.sleep(0)

    rows = {row.id: row.external for row in await yard.register.sandboxes("memory")}
    assert (rows["a"], rows["b"], rows["c"]) == ("m0", "", "m1")
    told.set()
    assert all(isinstance(member, HeldMachine) for member in await hiring)
    await yard.machines.close()


async def test_the_first_may_fail_alone():
    yard = Yard(at_once=3)
    yard.cloud.creating = [SandboxError("no room")]

    first, *others = await yard.create_all("abc")

    assert isinstance(first, SandboxError)
    assert all(isinstance(member, HeldMachine) for member in others)
    assert sorted(await yard.open_rows()) == ["b", "c"]
    await yard.machines.close()


async def test_those_who_want_several_do_not_wait_for_each_other():
    """Each would have one place of two, and wait for the other's for ever."""
    yard = Yard(at_once=2)

    async def use(names: str) -> None:
        for member in await yard.create_all(names):
            assert isinstance(member, HeldMachine)
            await asyncio.sleep(0)
            await yard.machines.destroy(member.entry.id)

    await asyncio.wait_for(asyncio.gather(*map(use, ("ab", "cd", "ef"))), 5)
    assert yard.cloud.machines == {}
    await yard.machines.close()


async def test_a_deletion_that_is_refused_is_left_to_the_next_sweep():
    yard = Yard(at_once=1, at_most=1)
    member = await yard.machines.create(*yard.wanted("a"))
    yard.cloud.killing = [SandboxError("denied")] * 2

    await yard.machines.destroy("a")

    assert list(yard.cloud.machines) == [member.machine.id]
    [row] = await yard.register.sandboxes("memory")
    assert (row.is_held, row.is_ended, row.external) == (False, True, member.machine.id)
    # It may stay for ever, and takes no place from others.
    await asyncio.wait_for(yard.machines.create(*yard.wanted("b")), 5)
    watch = OrphanTracker()
    for fate in (Fate.REFUSED, Fate.REAPED):
        [leftover] = await watch.reap(yard.cloud, yard.register, holds=yard.machines.holds)
        assert (leftover.id, leftover.why, leftover.fate) == (member.machine.id, ENDED, fate)
    assert yard.register.scene.sandboxes["a"].reaped
    assert await yard.open_rows() == ["b"]
    await yard.machines.close()


async def test_what_others_have_closed_is_kept_and_noted_again():
    """They have not heard of us for a minute; their engine does not have our machines."""
    scene = Scene()
    yard, other = Yard(scene=scene, beat_s=900), Yard(scene=scene)
    yard.cloud.forking = SandboxError("no copies")
    await yard.create_all("ab")
    scene.ahead_s += DEAD_S + 1
    await OrphanTracker().reap(other.cloud, other.register)
    assert await yard.open_rows() == []

    assert await OrphanTracker().reap(yard.cloud, yard.register, holds=yard.machines.holds) == []
    await yard.machines.beat()

    assert len(yard.cloud.machines) == 2
    assert [row.is_held for row in await other.register.sandboxes("memory")] == [True, True]
    await yard.machines.close()
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_one_that_is_still_being_made_is_kept_although_its_row_is_closed():
    yard = Yard()
    yard.cloud.gate = asyncio.Event()
    hiring = asyncio.create_task(yard.machines.create(*yard.wanted("a")))
    while not yard.cloud.machines:  # noqa: ASYNC110 - what is made here has no event
        await asyncio.sleep(0)
    await yard.register.close_sandbox("a")

    assert await OrphanTracker().reap(yard.cloud, yard.register, holds=yard.machines.holds) == []

    yard.cloud.gate.set()
    await hiring
    await yard.machines.beat()
    assert await yard.open_rows() == ["a"]
    await yard.machines.close()


async def test_one_that_we_close_while_we_beat_is_not_left_open(monkeypatch: pytest.MonkeyPatch):
    yard = Yard(beat_s=900)
    await yard.machines.create(*yard.wanted("a"))
    beat = yard.register.beat

    async def late(held: Collection[str]) -> set[str]:
        await yard.machines.destroy("a")
        return await beat(held)

    monkeypatch.setattr(yard.register, "beat", late)
    await yard.machines.beat()

    assert await yard.open_rows() == []
    await yard.machines.close()


async def test_it_is_kept_alive():
    yard = Yard(ttl_s=0.03)
    member = await yard.machines.create(*yard.wanted("a"))
    machine = yard.cloud.machines[member.machine.id]
    async with asyncio.timeout(10):
        while len(machine.extended) < 3:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)

    assert set(machine.extended) == {0.03}
    await yard.machines.close()


async def test_never_beyond_its_lifetime_and_then_ended_with_the_reason():
    yard = Yard(lifetime_s=0.2, ttl_s=0.06)
    member = await yard.machines.create(*yard.wanted("a"))
    machine, told = yard.cloud.machines[member.machine.id], asyncio.Queue[str]()

    async def end(why: str) -> None:
        await yard.machines.destroy("a")
        told.put_nowait(why)

    member.end = end
    why = await asyncio.wait_for(told.get(), 10)

    assert "SANDBOX_LIFETIME_MINUTES" in why
    assert all(seconds <= 0.06 for seconds in machine.extended)
    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])
    await yard.machines.close()


async def test_one_that_is_gone_when_it_is_extended_is_reported():
    yard = Yard(ttl_s=0.03)
    member = await yard.machines.create(*yard.wanted("a"))
    told = asyncio.Queue[str]()

    async def end(why: str) -> None:
        await yard.machines.destroy("a")
        told.put_nowait(why)

    member.end = end
    yard.cloud.machines.clear()

    assert await asyncio.wait_for(told.get(), 10) == "it has ended"
    assert await yard.open_rows() == []
    await yard.machines.close()


async def test_a_register_that_is_away_for_a_beat_ends_nothing(monkeypatch: pytest.MonkeyPatch):
    yard = Yard()
    beats = 0

    async def beat(_: object) -> set[str]:
        nonlocal beats
        beats += 1
        raise ConnectionError("the database is away")

    monkeypatch.setattr(yard.register, "beat", beat)
    await yard.machines.create(*yard.wanted("a"))
    async with asyncio.timeout(10):
        while beats < 3:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)

    assert len(yard.cloud.machines) == 1
    await yard.machines.close()


async def test_nor_does_it_let_the_provider_end_them(monkeypatch: pytest.MonkeyPatch):
    yard = Yard(ttl_s=0.03)
    member = await yard.machines.create(*yard.wanted("a"))

    async def beat(_: object) -> set[str]:
        raise ConnectionError("the database is away")

    monkeypatch.setattr(yard.register, "beat", beat)
    machine = yard.cloud.machines[member.machine.id]
    before = len(machine.extended)
    async with asyncio.timeout(10):
        while len(machine.extended) < before + 3:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)
    await yard.machines.close()


async def test_a_slow_provider_does_not_keep_us_from_saying_that_we_live(
    monkeypatch: pytest.MonkeyPatch,
):
    yard, beats = Yard(ttl_s=0.03), asyncio.Queue[None]()

    async def beat(_: object) -> set[str]:
        await beats.put(None)
        return set()

    monkeypatch.setattr(yard.register, "beat", beat)
    member = await yard.machines.create(*yard.wanted("a"))
    hangs = asyncio.Event()

    async def extend(_: float) -> None:
        await hangs.wait()

    monkeypatch.setattr(member.machine, "extend", extend)
    async with asyncio.timeout(10):
        for _ in range(10):
            await beats.get()
    hangs.set()
    await yard.machines.close()


async def test_an_end_is_whole_although_its_caller_is_cancelled(monkeypatch: pytest.MonkeyPatch):
    yard, goes_on = Yard(at_once=1), asyncio.Event()
    await yard.machines.create(*yard.wanted("a"))
    kill = yard.cloud.kill

    async def slow(machine_id: str) -> bool:
        await goes_on.wait()
        return await kill(machine_id)

    monkeypatch.setattr(yard.cloud, "kill", slow)
    ending = asyncio.create_task(yard.machines.destroy("a"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    goes_on.set()

    await asyncio.wait_for(yard.machines.create(*yard.wanted("b")), 5)
    assert await yard.open_rows() == ["b"]
    assert len(yard.cloud.machines) == 1
    await yard.machines.close()


async def test_places_are_given_back_once(monkeypatch: pytest.MonkeyPatch):
    """One fails, and then the rest: no more places are free afterwards than there are."""
    yard = Yard(at_once=3)
    yard.cloud.creating = [SandboxError("no room")]

    async def refuse(sandbox_id: str, external: str) -> None:
        raise ConnectionError(f"the database is unavailable: {sandbox_id} {external}")

    monkeypatch.setattr(yard.register, "name_sandbox", refuse)
    with pytest.raises(ConnectionError):
        await yard.create_all("abc")
    monkeypatch.undo()

    for name in "def":
        await asyncio.wait_for(yard.machines.create(*yard.wanted(name)), 5)
    full = asyncio.create_task(yard.machines.create(*yard.wanted("g")))
    await asyncio.sleep(0.05)
    assert not full.done()
    full.cancel()
    await asyncio.wait([full])
    await yard.machines.close()
    assert yard.cloud.machines == {}


async def _first_dies(
    yard: Yard, gate: asyncio.Event
) -> asyncio.Task[Sequence[HeldMachine | SandboxError]]:
    """While the others are being made, of which there are no copies."""
    yard.cloud.forking = SandboxError("no forks now")
    create = yard.cloud.create

    async def slow(machine_spec: MachineSpec) -> Machine:
        if machine_spec.key != "yudai-a":
            await gate.wait()
        return await create(machine_spec)

    yard.cloud.create = slow  # type: ignore[method-assign]
    hiring = asyncio.create_task(yard.create_all("abc"))
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

    await asyncio.wait_for(yard.machines._pace.enter(3), 5)
    full = asyncio.create_task(yard.machines._pace.enter())
    await asyncio.sleep(0.05)
    assert not full.done()
    full.cancel()
    await asyncio.wait([full])
    await yard.machines.close()


async def test_one_that_died_meanwhile_is_given_to_no_one():
    yard, gate = Yard(at_once=3, ttl_s=0.03), asyncio.Event()
    hiring = await _first_dies(yard, gate)
    gate.set()

    first, *others = await hiring

    assert isinstance(first, SandboxError)
    assert (first.cause, str(first)) == (Cause.SANDBOX_LOST, "it has ended")
    assert all(isinstance(member, HeldMachine) for member in others)
    await yard.machines.close()


async def test_all_are_ended_at_once(monkeypatch: pytest.MonkeyPatch):
    yard, kill, ending = Yard(), MemoryCloud.kill, 0
    for name in "abcd":
        await yard.machines.create(*yard.wanted(name))

    async def gather(machine_id: str) -> bool:
        nonlocal ending
        ending += 1
        async with asyncio.timeout(10):
            while ending < 4:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.005)
        return await kill(yard.cloud, machine_id)

    monkeypatch.setattr(yard.cloud, "kill", gather)
    await yard.machines.close()

    assert (yard.cloud.machines, await yard.open_rows()) == ({}, [])


async def test_all_processes_together_have_so_many_places(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(admission_module, "_FIRST_PAUSE_S", 0.01)
    scene = Scene()
    one, other = Yard(scene=scene, at_most=3), Yard(scene=scene, at_most=3)
    await one.create_all("ab")
    waiting = asyncio.create_task(other.create_all("cd"))
    await asyncio.sleep(0.1)
    assert (waiting.done(), other.cloud.machines) == (False, {})
    # Who wants less is not kept by who waits elsewhere.
    await asyncio.wait_for(one.machines.create(*one.wanted("e")), 5)

    await one.machines.destroy("a")
    await one.machines.destroy("e")

    await asyncio.wait_for(waiting, 5)
    assert sorted(await one.open_rows()) == ["b", "c", "d"]
    await one.machines.close()
    await other.machines.close()


async def test_a_dead_process_has_no_places():
    scene = Scene()
    one, other = Yard(scene=scene, at_most=2), Yard(scene=scene, at_most=2)
    await one.create_all("ab")
    await scene.kill(one.register)

    await asyncio.wait_for(other.create_all("cd"), 5)

    await other.machines.close()
    await one.machines.close()


async def test_who_does_not_wait_gets_the_error_that_all_are_taken():
    scene = Scene()
    one, doctor = Yard(scene=scene, at_most=2), Yard(scene=scene, at_most=2, waits=False)
    await one.create_all("ab")

    with pytest.raises(BusyError, match=r"all 2 sandboxes .* are in use"):
        await doctor.machines.create(*doctor.wanted("c"))

    assert sorted(await one.open_rows()) == ["a", "b"]
    await one.machines.close()
    await asyncio.wait_for(doctor.machines.create(*doctor.wanted("d")), 5)
    await doctor.machines.close()


async def test_who_gives_up_waiting_has_no_place_and_no_row(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(admission_module, "_FIRST_PAUSE_S", 0.01)
    scene = Scene()
    one, other = Yard(scene=scene, at_most=2), Yard(scene=scene, at_most=2, at_once=2)
    await one.create_all("ab")
    waiting = asyncio.create_task(other.create_all("cd"))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert sorted(await one.open_rows()) == ["a", "b"]
    await one.machines.close()

    await asyncio.wait_for(other.create_all("ef"), 5)
    await other.machines.close()
