"""Which machines are removed, and which never are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.registers import MemoryRegister, Scene
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, Cloud, Found
from yudai.sandboxes.backends.remote.reap import (
    CREATION_S,
    DEAD,
    ELSEWHERE_S,
    ENDED,
    GRACE_S,
    UNKNOWN,
    OrphanTracker,
    Sweep,
)
from yudai.sandboxes.port import Fate
from yudai.sandboxes.register import SandboxEntry

NOW = 1_800_000_000.0


@dataclass
class Time:
    now: float = 100.0
    wall: float = NOW

    def watch(self) -> OrphanTracker:
        return OrphanTracker(now=lambda: self.now, wall=lambda: self.wall)

    def pass_s(self, seconds: float) -> None:
        self.now += seconds
        self.wall += seconds


def machine(name: str, sandbox: str | None = None, *, started_at: float | None = None) -> Found:
    tags = {INSTALLATION: "us", "owner": "run-9"} | (
        {} if sandbox is None else {SANDBOX_TAG: sandbox}
    )
    return Found(name, tags, "running", started_at)


def row(
    name: str, *, external: str = "", is_held: bool = True, created_at: float = NOW
) -> SandboxEntry:
    return SandboxEntry(
        id=name,
        backend="e2b",
        owner=f"owner-{name}",
        external=external,
        is_held=is_held,
        created_at=created_at,
    )


def look(
    found: Sequence[Found],
    rows: Sequence[SandboxEntry] = (),
    *closed: str,
    watch: OrphanTracker | None = None,
    dry_run: bool = False,
) -> Sweep:
    watch = watch or Time().watch()
    known = {entry.id for entry in rows} | set(closed)
    return watch.look("e2b", found, rows, known, dry_run=dry_run)


def told(sweep: Sweep) -> list[tuple[str, str, str]]:
    return [(orphan.id, orphan.sandbox, orphan.leftover.why) for orphan in sweep.machines]


LOOKED_AFTER = [
    pytest.param(machine("m", "b"), row("b", external="m"), id="named"),
    pytest.param(machine("m", "b"), row("b"), id="not yet named"),
    pytest.param(machine("m", "source"), row("b", external="m"), id="a copy that is named"),
]


@pytest.mark.parametrize(("found", "entry"), LOOKED_AFTER)
def test_what_a_living_process_holds_is_never_touched(found: Found, entry: SandboxEntry):
    time = Time()
    watch = time.watch()
    for _ in range(3):
        assert look([found], [entry], "source", watch=watch) == Sweep((), (), ())
        time.pass_s(10 * GRACE_S)


@pytest.mark.parametrize(("found", "entry"), LOOKED_AFTER)
def test_what_a_dead_process_held_is_removed_at_once(found: Found, entry: SandboxEntry):
    dead = entry.model_copy(update={"is_held": False, "created_at": NOW - 90})
    sweep = look([found], [dead], "source")
    assert told(sweep) == [("m", "b", DEAD)]
    assert sweep.rows == ()
    [leftover] = sweep.leftovers
    assert (leftover.backend, leftover.owner, leftover.age_s) == ("e2b", "owner-b", 90)


def test_what_its_run_has_left_behind_is_removed_at_once():
    assert told(look([machine("m", "b")], [], "b")) == [("m", "b", ENDED)]


def test_what_no_one_knows_is_watched_first_whatever_a_clock_elsewhere_says():
    time = Time()
    watch = time.watch()
    strangers = [
        machine("old", started_at=0.0),
        machine("future", "never", started_at=NOW + 9e6),
        machine("copy", "source"),
    ]
    source = [row("source", external="original")]
    original = machine("original", "source")
    for seconds in (0, 100, GRACE_S - 101):
        time.pass_s(seconds)
        sweep = look([*strangers, original], source, watch=watch)
        assert told(sweep) == []
        assert {one.id for one in sweep.waiting} == {"old", "future", "copy"}
        assert {one.fate for one in sweep.waiting} == {Fate.WAITING}
    time.pass_s(1)
    sweep = look([*strangers, original], source, watch=watch)
    assert sorted(told(sweep)) == [(name, "", UNKNOWN) for name in ("copy", "future", "old")]
    assert sweep.waiting == ()


def test_who_was_away_in_between_is_watched_from_the_beginning():
    time = Time()
    watch = time.watch()
    look([machine("m")], watch=watch)
    time.pass_s(GRACE_S)
    look([], watch=watch)
    assert told(look([machine("m")], watch=watch)) == []


def test_a_jump_of_the_clock_on_the_wall_removes_nothing():
    time = Time()
    watch = time.watch()
    look([machine("m")], watch=watch)
    time.wall += 1e6
    assert told(look([machine("m")], watch=watch)) == []


def test_a_dry_run_takes_the_providers_word_as_a_hint():
    found = [
        machine("old", started_at=NOW - GRACE_S),
        machine("young", started_at=NOW - GRACE_S + 1),
        machine("unsaid"),
    ]
    sweep = look(found, dry_run=True)
    assert [name for name, _, _ in told(sweep)] == ["old", "unsaid"]
    assert [one.id for one in sweep.waiting] == ["young"]


def test_rows_of_dead_processes_are_closed_when_no_machine_can_come_any_more():
    rows = [
        row("gone", external="gone-1", is_held=False),
        row("coming", is_held=False, created_at=NOW - CREATION_S + 1),
        row("never came", is_held=False, created_at=NOW - CREATION_S),
        row("there", external="m", is_held=False),
        row("held", external="gone-2", created_at=0.0),
    ]
    sweep = look([machine("m", "there")], rows)
    assert [entry.id for entry in sweep.rows] == ["gone", "never came"]


NOTED = st.tuples(st.sampled_from(["named", "not named", "closed"]), st.booleans())


@given(
    found=st.dictionaries(st.sampled_from("ABC"), st.sampled_from(["a", "b", "c", "never"])),
    noted=st.tuples(NOTED, NOTED, NOTED),
    dry_run=st.booleans(),
)
def test_what_a_held_row_names_is_never_removed_nor_is_the_row_closed(
    found: dict[str, str], noted: Sequence[tuple[str, bool]], *, dry_run: bool
):
    rows = [
        row(sandbox, external=sandbox.upper() if state == "named" else "", is_held=is_held)
        for sandbox, (state, is_held) in zip("abc", noted, strict=True)
        if state != "closed"
    ]
    machines = [machine(name, sandbox) for name, sandbox in found.items()]
    sweep = look(machines, rows, *"abc", dry_run=dry_run)
    held = {entry.external for entry in rows if entry.is_held}
    assert not held & {leftover.id for leftover in sweep.leftovers}
    assert not any(entry.is_held for entry in sweep.rows)
    dead = {entry.external for entry in rows if not entry.is_held and entry.external}
    assert dead & set(found) <= {orphan.id for orphan in sweep.machines}


@dataclass
class ListedCloud:
    """Only what a sweep asks of a cloud."""

    found: list[Found]
    refuses: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    killed: list[str] = field(default_factory=list)
    name: str = "e2b"

    async def list(self, installation: str) -> Sequence[Found]:
        assert installation
        return list(self.found)

    async def kill(self, machine_id: str) -> bool:
        if machine_id in self.refuses:
            raise SandboxError("deletion is denied")
        self.killed.append(machine_id)
        return machine_id not in self.gone


class LocalCloud(ListedCloud):
    async def host(self) -> str:
        raise AssertionError("rows tell where they are of")


def as_cloud(cloud: ListedCloud) -> Cloud:
    return cloud  # type: ignore[return-value]


async def open_scene() -> tuple[Scene, MemoryRegister]:
    """Rows of one process that has died, and the register of another."""
    scene = Scene(name="us")
    dead = MemoryRegister(scene)
    for name in ("one", "two", "three", "gone"):
        await dead.open_sandboxes([SandboxEntry(id=name, backend="e2b", owner="run")])
        await dead.name_sandbox(name, f"m-{name}")
    await scene.kill(dead)
    return scene, MemoryRegister(scene)


async def test_a_refused_removal_keeps_no_other_from_it_and_is_tried_again():
    scene, register = await open_scene()
    found = [machine(f"m-{name}", name) for name in ("one", "two", "three")]
    cloud, watch = ListedCloud(found, refuses={"m-one"}, gone={"m-three"}), OrphanTracker()
    swept = await watch.reap(as_cloud(cloud), register)
    assert {(one.id, one.fate, one.note) for one in swept} == {
        ("m-one", Fate.REFUSED, "deletion is denied"),
        ("m-two", Fate.REAPED, ""),
    }
    assert {
        name: (sandbox.is_open, sandbox.reaped) for name, sandbox in scene.sandboxes.items()
    } == {
        "one": (True, False),
        "two": (False, True),
        "three": (True, False),
        "gone": (False, False),
    }
    cloud.found, cloud.refuses = [found[0]], set()
    swept = await watch.reap(as_cloud(cloud), register)
    assert [(one.id, one.fate) for one in swept] == [("m-one", Fate.REAPED)]
    assert not any(sandbox.is_open for sandbox in scene.sandboxes.values())
    assert scene.sandboxes["one"].reaped


async def test_what_no_one_knew_counts_as_reaped_too():
    scene, register = await open_scene()
    scene.sandboxes.clear()
    time = Time()
    watch, cloud = time.watch(), as_cloud(ListedCloud([machine("m", "never")]))
    await watch.reap(cloud, register)
    time.pass_s(GRACE_S)
    [leftover] = await watch.reap(cloud, register)
    assert (leftover.why, leftover.fate) == (UNKNOWN, Fate.REAPED)
    [sandbox] = scene.sandboxes.values()
    assert (sandbox.reaped, sandbox.is_open) == (True, False)
    assert (sandbox.entry.backend, sandbox.entry.external, sandbox.entry.owner) == (
        "e2b",
        "m",
        "run-9",
    )


async def test_where_machines_are_a_hosts_own_another_hosts_rows_stay_open():
    """We cannot see what became of those; a host that never comes back is given up."""
    scene, _ = await open_scene()
    elsewhere, time = MemoryRegister(scene, host="elsewhere"), Time(wall=scene.now())
    cloud = as_cloud(LocalCloud([]))
    await time.watch().reap(cloud, elsewhere)
    assert all(sandbox.is_open for sandbox in scene.sandboxes.values())
    time.pass_s(ELSEWHERE_S + 1)
    await time.watch().reap(cloud, elsewhere)
    assert not any(sandbox.is_open for sandbox in scene.sandboxes.values())


async def test_a_machine_that_is_here_is_removed_whichever_process_asked_for_it():
    """Workers in containers of one host have names of their own, and one engine."""
    scene, _ = await open_scene()
    elsewhere = MemoryRegister(scene, host="elsewhere")
    cloud = LocalCloud([machine("m-one", "one")])
    await OrphanTracker().reap(as_cloud(cloud), elsewhere)
    assert cloud.killed == ["m-one"]
    assert scene.sandboxes["one"].reaped


async def test_a_dry_run_changes_nothing():
    scene, register = await open_scene()
    cloud = ListedCloud([machine("m-one", "one")])
    swept = await OrphanTracker().reap(as_cloud(cloud), register, dry_run=True)
    assert [(one.id, one.why) for one in swept] == [("m-one", DEAD)]
    assert cloud.killed == []
    assert all(sandbox.is_open for sandbox in scene.sandboxes.values())


async def test_another_installation_is_not_touched_even_if_its_machines_are_listed():
    _, register = await open_scene()
    strange = machine("m-one", "one")._replace(tags={INSTALLATION: "them", SANDBOX_TAG: "one"})
    untagged = machine("m-two", "two")._replace(tags={SANDBOX_TAG: "two"})
    cloud = ListedCloud([strange, untagged])
    assert await OrphanTracker().reap(as_cloud(cloud), register) == []
    assert cloud.killed == []


async def test_machines_are_read_before_rows():
    """One that is made in between has its row by then."""
    _, register = await open_scene()
    living = MemoryRegister(register.scene)

    class LateCloud(ListedCloud):
        async def list(self, installation: str) -> Sequence[Found]:
            assert installation == "us"
            await living.open_sandboxes([SandboxEntry(id="new", backend="e2b", owner="run")])
            return [machine("m-new", "new")]

    cloud = LateCloud([])
    assert await OrphanTracker().reap(as_cloud(cloud), register) == []
    assert cloud.killed == []
