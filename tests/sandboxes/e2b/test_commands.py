"""Commands of ours in machines at E2B: what they say, how much, how long, and their sure end."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.clouds.e2b_scene import Scene, machine_spec, scene
from tests.support.clouds.faults import Fault
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import ConnectionCutError, GoneError, Machine

MIB = 1 << 20


@pytest.fixture
async def here(tmp_path: Path) -> AsyncGenerator[Scene]:
    async with scene(tmp_path / "e2b") as made:
        yield made


@pytest.fixture
async def machine(here: Scene) -> Machine:
    return await here.cloud.create(machine_spec())


async def nothing_runs(here: Scene, machine: Machine) -> None:
    """In the machine, seen from outside; whoever ends it does so behind our back."""
    async with asyncio.timeout(20):
        while here.sandbox(machine).processes:  # noqa: ASYNC110 - another thread's
            await asyncio.sleep(0.02)


async def until_it_runs(here: Scene, machine: Machine) -> None:
    async with asyncio.timeout(20):
        while not here.sandbox(machine).processes:  # noqa: ASYNC110 - another thread's
            await asyncio.sleep(0.02)


async def test_what_it_says(machine: Machine) -> None:
    said = await machine.run("echo out; echo err >&2; printf 'no end'", timeout_s=30)
    assert said == (0, b"out\nno end")


async def test_an_exit_code_is_a_result(machine: Machine) -> None:
    assert await machine.run("echo so; exit 7", timeout_s=30) == (7, b"so\n")
    assert await machine.run("kill -9 $$", timeout_s=30) == (137, b"")


async def test_a_profile_that_talks_is_not_heard(here: Scene, machine: Machine) -> None:
    vm = here.sandbox(machine).vm
    assert vm
    (vm.folder / "etc/profile").write_text("echo Welcome; echo to this >&2; cd /tmp\n")
    (vm.folder / "root/.profile").write_text("echo 'mesg: ttyname failed'\n")
    assert await machine.run("echo mine", timeout_s=30) == (0, b"mine\n")


async def test_long_lines_arrive(machine: Machine) -> None:
    said = await machine.run(f"echo {'x' * 90_000}", timeout_s=30)
    assert said.output == b"x" * 90_000 + b"\n"


async def test_output_up_to_the_limit(machine: Machine) -> None:
    said = await machine.run(
        "head -c 100000 /dev/zero | tr '\\0' x", timeout_s=30, max_bytes=100_000
    )
    assert len(said.output) == 100_000


@pytest.mark.parametrize("stream", ["", ">&2"])
async def test_a_gigabyte_of_output(here: Scene, machine: Machine, stream: str) -> None:
    before = _peak_bytes(anew=True)
    with pytest.raises(SandboxError, match="more than 1000000 bytes"):
        await machine.run(
            f"head -c 1000000000 /dev/zero {stream}", timeout_s=60, max_bytes=1_000_000
        )
    assert _peak_bytes() - before < 50 * MIB
    await nothing_runs(here, machine)
    assert (await machine.run("echo well", timeout_s=30)).output == b"well\n"


def _peak_bytes(*, anew: bool = False) -> int:
    """Of our memory; `anew` forgets what was before."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    [line] = [r for r in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in r]
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("heeds", [True, False])
async def test_our_own_deadline(here: Scene, machine: Machine, *, heeds: bool) -> None:
    """Whatever the service does with the deadline that the SDK sends."""
    here.e2b.envd.heeds_deadlines = heeds
    loop = asyncio.get_running_loop()
    start = loop.time()
    with pytest.raises(TimeoutError):
        await machine.run("echo begun; sleep 1000", timeout_s=0.5)
    assert loop.time() - start < 5
    await nothing_runs(here, machine)


async def test_cancelled_it_is_killed_there(here: Scene, machine: Machine) -> None:
    task = asyncio.create_task(machine.run("sleep 1000", timeout_s=60))
    await until_it_runs(here, machine)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await nothing_runs(here, machine)


async def test_it_is_killed_although_its_start_was_not_heard(here: Scene, machine: Machine) -> None:
    here.e2b.faults.add("POST /process.Process/Start", Fault(hang=True, after=True))
    task = asyncio.create_task(machine.run("sleep 1000", timeout_s=0.5))
    await until_it_runs(here, machine)
    with pytest.raises(TimeoutError):
        await task
    await nothing_runs(here, machine)


async def test_a_line_that_is_cut(here: Scene, machine: Machine) -> None:
    here.e2b.envd.cut_after_events = 1
    with pytest.raises(ConnectionCutError) as caught:
        await machine.run("sleep 0.1; echo a; sleep 1000", timeout_s=30)
    assert caught.value.cause is Cause.SANDBOX_LOST
    await nothing_runs(here, machine)
    assert (await machine.run("echo well", timeout_s=30)).output == b"well\n"


async def test_a_machine_that_dies(here: Scene, machine: Machine) -> None:
    task = asyncio.create_task(machine.run("sleep 1000", timeout_s=60))
    await until_it_runs(here, machine)
    await asyncio.to_thread(here.e2b.die, machine.id)
    with pytest.raises(GoneError) as caught:
        await task
    assert caught.value.cause is Cause.SANDBOX_LOST
    with pytest.raises(GoneError):
        await machine.put("/workspace/a", b"")
    with pytest.raises(GoneError):
        await machine.allow(())


async def test_a_refused_start(here: Scene, machine: Machine) -> None:
    here.e2b.faults.add("POST /process.Process/Start", Fault(status=500, message="no luck"))
    with pytest.raises(SandboxError):
        await machine.run("true", timeout_s=30)
    here.e2b.faults.add("POST /process.Process/Start", Fault(cut=True))
    with pytest.raises(ConnectionCutError):
        await machine.run("true", timeout_s=30)


async def test_a_put_that_is_refused(here: Scene, machine: Machine) -> None:
    here.e2b.faults.add("POST /files", Fault(status=507, message="disk full"))
    with pytest.raises(SandboxError, match="disk full"):
        await machine.put("/workspace/a", b"x")
    here.e2b.faults.add("POST /files", Fault(cut=True))
    with pytest.raises(ConnectionCutError):
        await machine.put("/workspace/a", b"x")


async def test_many_at_once(here: Scene, machine: Machine) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(machine.run(f"sleep 0.1; echo {n}", timeout_s=30)) for n in range(16)
        ]
    assert [task.result().output for task in tasks] == [b"%d\n" % n for n in range(16)]


async def test_no_key_of_ours_is_inside(here: Scene, machine: Machine) -> None:
    said = await machine.run("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'", timeout_s=30)
    assert here.e2b.key.encode() not in said.output
    assert os.environ.get("E2B_API_KEY", "none").encode() not in said.output
