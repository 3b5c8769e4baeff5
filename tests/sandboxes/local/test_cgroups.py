"""Control groups: where they can be made, on hosts of either version."""

import shlex
from pathlib import Path

import pytest

from tests.contracts.conftest import make_archive, spawn_one
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.local import cgroups
from yudai.sandboxes.backends.local.cgroups import Cgroup, Cgroups, OomCounter, processors
from yudai.sandboxes.port import BaseSpec, SandboxLimits

LIMITS = SandboxLimits(processors=1.5, memory_bytes=1000, processes=7)


BUSY = """
import time
until = time.monotonic() + 1
while time.monotonic() < until:
    pass
print(time.process_time())
"""


def proc(tmp_path: Path, own: str, mounts: list[str]) -> Path:
    folder = tmp_path / "proc"
    folder.mkdir()
    (folder / "cgroup").write_text(own)
    lines = [f"{30 + n} 20 0:{n} {mount}" for n, mount in enumerate(mounts)]
    (folder / "mountinfo").write_text("\n".join(lines))
    return folder


def version_1(tmp_path: Path) -> list[str]:
    return [
        f"/ {tmp_path}/memory rw - cgroup cgroup rw,memory",
        f"/ {tmp_path}/pids rw - cgroup cgroup rw,pids",
        f"/ {tmp_path}/cpu rw - cgroup cgroup rw,cpu,cpuacct",
        f"/ {tmp_path}/unified rw - cgroup2 cgroup2 rw",
    ]


def test_version_1_uses_our_own_groups(tmp_path: Path):
    (tmp_path / "memory/me").mkdir(parents=True)
    for name in ("pids", "cpu"):
        (tmp_path / name).mkdir()
    own = "4:memory:/me\n3:pids:/\n2:cpu,cpuacct:/\n0::/\n"
    folder = proc(tmp_path, own, version_1(tmp_path))

    assert cgroups.find(folder) == Cgroups(
        memory=tmp_path / "memory/me", pids=tmp_path / "pids", cpu=tmp_path / "cpu"
    )


def test_a_container_sees_only_a_part_of_the_tree(tmp_path: Path):
    (tmp_path / "memory/me").mkdir(parents=True)
    mounts = [f"/docker/abc {tmp_path}/memory rw - cgroup cgroup rw,memory"]

    inside = proc(tmp_path, "4:memory:/docker/abc/me\n", mounts)
    assert cgroups.find(inside).memory == tmp_path / "memory/me"
    (tmp_path / "other").mkdir()
    outside = proc(tmp_path / "other", "4:memory:/elsewhere\n", mounts)
    assert cgroups.find(outside).memory is None


def tree(tmp_path: Path, controllers: dict[str, str]) -> None:
    for path, handed_down in controllers.items():
        folder = tmp_path / "unified" / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.subtree_control").write_text(handed_down)
        (folder / "cgroup.procs").write_text("")


@pytest.mark.parametrize(
    ("handed_down", "has_cpu"), [("memory pids", False), ("cpu memory pids", True)]
)
def test_version_2_needs_an_ancestor_that_hands_down_controllers(
    tmp_path: Path, handed_down: str, *, has_cpu: bool
):
    """Without processors among them it still serves for the rest."""
    tree(tmp_path, {"": "cpu memory pids", "user": handed_down, "user/app": "", "user/x": "cpu"})
    mounts = [f"/ {tmp_path}/unified rw - cgroup2 cgroup2 rw"]
    folder = proc(tmp_path, "0::/user/app\n", mounts)

    parent = tmp_path / "unified/user"
    cpu = parent if has_cpu else None
    assert cgroups.find(folder) == Cgroups(memory=parent, pids=parent, cpu=cpu)


def test_version_2_without_delegation(tmp_path: Path):
    tree(tmp_path, {"": "cpu", "user": "cpu memory", "user/app": ""})
    mounts = [f"/ {tmp_path}/unified rw - cgroup2 cgroup2 rw"]

    assert cgroups.find(proc(tmp_path, "0::/user/app\n", mounts)) == Cgroups()


def test_a_host_without_any(tmp_path: Path):
    assert cgroups.find(tmp_path / "none") == Cgroups()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            [
                *("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "pids.max"),
                *("cpu.shares", "cpu.cfs_period_us", "cpu.cfs_quota_us"),
            ],
            {
                "memory.limit_in_bytes": "1000",
                "memory.memsw.limit_in_bytes": "1000",
                "cpu.shares": "110",
                "cpu.cfs_period_us": "100000",
                "cpu.cfs_quota_us": "150000",
            },
            id="version 1",
        ),
        pytest.param(
            ["memory.max", "memory.swap.max", "pids.max", "cpu.weight", "cpu.max"],
            {
                "memory.max": "1000",
                "memory.swap.max": "0",
                "pids.max": "7",
                "cpu.weight": "11",
                "cpu.max": "150000 100000",
            },
            id="version 2",
        ),
    ],
)
def test_a_sandbox_gets_its_limits(tmp_path: Path, files: list[str], expected: dict[str, str]):
    """The kernel fills a new group with files; here they are there before."""
    group = tmp_path / "box"
    group.mkdir()
    for name in files:
        (group / name).touch()

    made = Cgroups(memory=tmp_path, pids=tmp_path, cpu=tmp_path).create("box", LIMITS)

    made.step_back()
    assert made.folders == (group,)
    assert {name: (group / name).read_text() for name in expected} == expected


def test_one_that_cannot_be_made_is_left_out(tmp_path: Path):
    made = Cgroups(memory=tmp_path / "none", pids=None).create("box", LIMITS)

    made.step_back()
    assert made == Cgroup(None, None, None)
    assert made.folders == made.entrances == ()


def test_the_entrance_of_either_version(tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (one / "tasks").touch()

    assert Cgroup(memory=one, pids=two).entrances == (one / "tasks", two / "cgroup.procs")


@pytest.mark.parametrize("name", ["memory.events", "memory.oom_control"])
def test_kills_for_memory_are_reported_once(tmp_path: Path, name: str):
    file = tmp_path / name
    file.write_text("low 0\noom_kill 0\n")
    counter = OomCounter(tmp_path)
    told = [counter.rang()]
    for kills in (2, 2, 3):
        file.write_text(f"low 0\noom_kill {kills}\n")
        told.append(counter.rang())
    counter.close()

    assert told == [False, True, False, True]
    assert not OomCounter(None).rang()


def test_removal_waits_for_the_last_process(tmp_path: Path):
    busy, gone = tmp_path / "busy", tmp_path / "gone"
    (busy / "child").mkdir(parents=True)

    assert not cgroups.remove([gone, busy])
    (busy / "child").rmdir()
    assert cgroups.remove([gone, busy])
    assert not busy.exists()


def test_processors_are_promised_where_there_is_a_group(tmp_path: Path):
    kept, how = processors(LIMITS, Cgroup(cpu=tmp_path))
    broken, why = processors(LIMITS, Cgroup())

    assert (kept, broken) == (True, False)
    assert "1.5" in how
    assert why


async def test_a_sandbox_gets_no_more_processors_than_it_may_have(tmp_path: Path):
    if cgroups.find().cpu is None:
        pytest.skip("no writable cgroup for processors on this host")
    backend = BubblewrapBackend(tmp_path / "home", limits=SandboxLimits(processors=0.2))
    try:
        source = make_archive(tmp_path / "source.tar")
        sandbox = await spawn_one(backend, await backend.prepare(BaseSpec(key="k", source=source)))
        said = await sandbox.exec(f"python3 -c {shlex.quote(BUSY)}")
    finally:
        await backend.close()
    # Whatever else this machine does can only make it less.
    assert 0 < float(said.text) < 0.6
