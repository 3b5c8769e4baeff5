"""Bases and sandboxes: made once, listed, ended, reaped; and nothing is left of them."""

import asyncio
import secrets
import signal
import sys
import tarfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.contracts.backends import LOCAL
from tests.contracts.conftest import (
    ARCHIVED_AT,
    BACKENDS,
    FILES,
    LIMITS,
    alive,
    make_archive,
    spawn_one,
    unique_sleep,
    until,
)
from tests.support.control_groups import cgroups
from yudai.kit.causes import Cause
from yudai.kit.errors import ConflictError, RefusedError, SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.bubblewrap.commands import RunnerCommands
from yudai.sandboxes.backends.process.commands import ProcessCommands
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, ExecResult, Sandbox, SandboxRef

# Prime has the warden of e2b, and process the bases and the patches of bubblewrap.
pytestmark = pytest.mark.real_on("prime", "process")


class Leftovers(NamedTuple):
    processes: list[str]
    mounts: list[str]
    cgroups: list[str]
    folders: list[str]


def leftovers(home: Path, *, installation: str) -> Leftovers:
    """What names this home or installation, wherever the host shows it."""
    return Leftovers(
        processes=[str(pid) for pid in alive(str(home))],
        mounts=[m for m in Path("/proc/self/mountinfo").read_text().splitlines() if str(home) in m],
        cgroups=sorted(cgroups(f"yudai-{installation}-")),
        folders=[str(p) for top in ("boxes", "leases") for p in home.rglob(f"{top}/*")],
    )


NOTHING = Leftovers([], [], [], [])


Make = Callable[..., Backend]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncGenerator[Make]:
    """Makes backends with a home of their own, and closes them whatever happens."""
    made: list[Backend] = []

    def build(name: str = "bubblewrap", installation: str = "test") -> Backend:
        backend = BACKENDS[name](tmp_path / "home", limits=LIMITS, installation=installation)
        made.append(backend)
        return backend

    yield build
    for backend in made:
        await backend.close()


@pytest.fixture(params=BACKENDS)
async def fresh(request: pytest.FixtureRequest, make: Make) -> Backend:
    return make(request.param)


@pytest.fixture(params=LOCAL)
async def on_disk(request: pytest.FixtureRequest, make: Make) -> Backend:
    return make(request.param)


def archive(tmp_path: Path) -> Path:
    return make_archive(tmp_path / "source.tar")


@pytest.mark.real_on("prime")
async def test_a_base_is_built_once(fresh: Backend, tmp_path: Path):
    spec = BaseSpec(key="k", source=archive(tmp_path), setup=("date +%N >built",))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fresh.prepare(spec)) for _ in range(4)]

    assert [task.result() for task in tasks] == [BaseRef(key="k")] * 4
    first = await (await spawn_one(fresh, BaseRef(key="k"))).read("built")
    await fresh.prepare(spec)
    assert await (await spawn_one(fresh, BaseRef(key="k"))).read("built") == first


async def test_also_by_two_backends_of_one_home(make: Make, tmp_path: Path):
    spec = BaseSpec(key="k", source=archive(tmp_path), setup=("date +%N >built", "sleep 0.2"))
    one, other = make(), make()

    async with asyncio.TaskGroup() as group:
        group.create_task(one.prepare(spec))
        group.create_task(other.prepare(spec))

    built = [await (await spawn_one(b, BaseRef(key="k"))).read("built") for b in (one, other)]
    assert built[0] == built[1]


async def test_eight_sandboxes_of_one_base_cost_one_unpacking_and_one_set_up(
    fresh: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Each command that a base is built with is counted where the backends start it."""
    started: list[str] = []
    for commands in (RunnerCommands, ProcessCommands, RemoteCommands):
        monkeypatch.setattr(commands, "exec", counted(commands.exec, started))
    unpack, setup = package_script("unpack.sh"), "echo built >>built; sleep 0.1"
    spec = BaseSpec(key="k", source=archive(tmp_path), setup=(setup,))

    async def one() -> bytes:
        sandbox = await spawn_one(fresh, await fresh.prepare(spec))
        return await sandbox.read("built")

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one()) for _ in range(8)]

    assert [task.result() for task in tasks] == [b"built\n"] * 8
    assert (started.count(unpack), started.count(setup)) == (1, 1)


Exec = Callable[..., Awaitable[ExecResult]]


def counted(exec_: Exec, started: list[str]) -> Exec:
    async def run(self: object, command: str, **options: Any) -> ExecResult:
        started.append(command)
        return await exec_(self, command, **options)

    return run


async def test_a_base_is_removed_once_nothing_stands_on_it(fresh: Backend, tmp_path: Path):
    assert await fresh.bases() == []
    spec = BaseSpec(key="k", source=archive(tmp_path), setup=("head -c 3000000 /dev/zero >big",))
    base = await fresh.prepare(spec)
    sandbox, other = await spawn_one(fresh, base), await spawn_one(fresh, base)

    [facts] = await fresh.bases()
    assert (facts.key, facts.users) == ("k", 2)
    assert facts.size_bytes is not None
    assert 3_000_000 < facts.size_bytes < 10_000_000
    assert abs(time.time() - facts.made_at) < 600
    assert facts.used_at >= facts.made_at - 1
    with pytest.raises(ConflictError, match="2 sandboxes stand on base k"):
        await fresh.remove_base("k")
    assert (await sandbox.exec("wc -c <big")).text == "3000000\n"
    await sandbox.destroy()
    with pytest.raises(ConflictError, match="1 sandbox stands on base k"):
        await fresh.remove_base("k")
    await other.destroy()

    assert await fresh.remove_base("k") is True

    assert await fresh.remove_base("k") is False
    assert await fresh.bases() == []
    assert not list(tmp_path.rglob("home/**/bases/*"))
    with pytest.raises(SandboxError, match="not prepared"):
        await fresh.spawn(base, 1, owner="x")
    assert await (await spawn_one(fresh, await fresh.prepare(spec))).read("README.md")


@pytest.mark.parametrize("key", ["", "../x", "a/b", ".hidden", "none"])
async def test_there_is_no_such_base_to_remove(fresh: Backend, key: str):
    assert await fresh.remove_base(key) is False


@pytest.mark.parametrize("name", BACKENDS)
async def test_a_sandbox_of_another_backend_of_the_home_keeps_its_base(
    name: str, make: Make, tmp_path: Path
):
    one, other = make(name), make(name)
    base = await one.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    sandbox = await spawn_one(one, base)

    assert [facts.users for facts in await other.bases()] == [1]
    with pytest.raises(ConflictError):
        await other.remove_base("k")
    await sandbox.destroy()
    assert await other.remove_base("k") is True
    assert await one.bases() == []


@pytest.mark.parametrize("name", BACKENDS)
async def test_a_sandbox_has_its_base_whole_or_hears_that_there_is_none(
    name: str, make: Make, tmp_path: Path
):
    """Spawned by one backend of a home and removed by another, sooner or later after that."""
    one, other = make(name), make(name)
    spec = BaseSpec(key="k", source=archive(tmp_path))
    await one.prepare(spec)
    for turns in (0, 2, 8, None):
        base = await one.prepare(spec)
        spawning = asyncio.create_task(one.spawn(base, 2, owner="x"))
        for _ in range(turns or 0):
            await asyncio.sleep(0)
        if turns is None:
            while not await other.list():  # noqa: ASYNC110 - a row has no event
                await asyncio.sleep(0.001)
        removing = asyncio.create_task(other.remove_base("k"))
        await asyncio.wait([spawning, removing])
        error = spawning.exception()
        for sandbox in [error] if error else spawning.result():
            if isinstance(sandbox, BaseException):
                assert turns is not None
                assert str(sandbox) == "base k is not prepared"
            else:
                assert (await sandbox.exec("cat src/deep/*.py")).text == "ONE = 1\nTWO = 2\n"
                assert isinstance(removing.exception(), ConflictError)
                await sandbox.destroy()


@pytest.mark.parametrize("name", BACKENDS)
async def test_a_sandbox_ends_when_its_time_is_up(name: str, tmp_path: Path):
    seconds = unique_sleep()
    limits = LIMITS.model_copy(update={"lifetime_s": 1.5})
    backend = BACKENDS[name](tmp_path / "home", limits=limits)
    try:
        sandbox = await spawn_one(
            backend, await backend.prepare(BaseSpec(key="k", source=archive(tmp_path)))
        )
        with pytest.raises(SandboxError, match="SANDBOX_LIFETIME_MINUTES") as cut:
            await sandbox.exec(f"sleep {seconds}", timeout_s=60)
        for act in (
            sandbox.exec("true"),
            sandbox.read("README.md"),
            sandbox.tree(),
            sandbox.diff(),
        ):
            with pytest.raises(SandboxError, match="SANDBOX_LIFETIME_MINUTES") as lost:
                await act
            assert lost.value.cause is cut.value.cause is Cause.SANDBOX_LOST
        assert not await sandbox.health()
        await sandbox.destroy()
        assert not list(tmp_path.rglob("home/**/boxes/*"))
        assert await backend.list() == []
        assert not alive(seconds)
    finally:
        await backend.close()


async def test_the_base_is_the_archive(sandbox: Sandbox):
    for name, content in FILES.items():
        assert await sandbox.read(name) == content, name
    times = await sandbox.exec("git ls-files -z | xargs -0 stat -c %Y | sort -u")
    assert times.text == f"{ARCHIVED_AT}\n"
    assert (
        await sandbox.exec("readlink link; test -x tool.sh; git fsck 2>&1")
    ).text == "README.md\n"


async def test_equal_archives_have_equal_commits(fresh: Backend, tmp_path: Path):
    heads = set[str]()
    for key in ("a", "b"):
        base = await fresh.prepare(BaseSpec(key=key, source=archive(tmp_path)))
        heads.add((await (await spawn_one(fresh, base)).exec("git rev-parse HEAD")).text)

    assert len(heads) == 1


@pytest.mark.real_on("prime")
async def test_a_failed_set_up_says_why_and_leaves_nothing(fresh: Backend, tmp_path: Path):
    source = archive(tmp_path)
    setup = ("echo first", "seq 100; echo the reason; exit 5", "echo never")

    with pytest.raises(SandboxError) as failed:
        await fresh.prepare(BaseSpec(key="k", source=source, setup=setup))

    assert failed.value.cause is Cause.SETUP_FAILED
    assert "exit code 5" in str(failed.value)
    assert str(failed.value).endswith("the reason")
    assert "\n50\n" not in str(failed.value)
    assert not list(tmp_path.rglob("home/**/bases/*"))
    await fresh.prepare(BaseSpec(key="k", source=source))
    assert (await (await spawn_one(fresh, BaseRef(key="k"))).exec("cat README.md")).exit_code == 0


async def test_a_source_that_is_no_archive(fresh: Backend, tmp_path: Path):
    (tmp_path / "bad.tar").write_bytes(b"no archive")

    for name in ("bad.tar", "none.tar"):
        with pytest.raises(SandboxError) as failed:
            await fresh.prepare(BaseSpec(key="k", source=tmp_path / name))
        assert failed.value.cause is Cause.SETUP_FAILED


async def test_an_unprepared_base(fresh: Backend):
    with pytest.raises(SandboxError, match="not prepared"):
        await fresh.spawn(BaseRef(key="none"), 1, owner="x")


@pytest.mark.parametrize("key", ["", "../x", "a/b", ".hidden", "x" * 300])
async def test_a_key_that_is_no_name(fresh: Backend, tmp_path: Path, key: str):
    with pytest.raises(ValueError, match="not a valid folder name"):
        await fresh.prepare(BaseSpec(key=key, source=archive(tmp_path)))


async def test_an_environment_that_is_none(fresh: Backend, tmp_path: Path):
    with pytest.raises(RefusedError, match="not a Python environment"):
        await fresh.prepare(BaseSpec(key="k", source=archive(tmp_path), env=tmp_path))


async def test_without_an_environment_there_is_still_a_python(fresh: Backend, tmp_path: Path):
    base = await fresh.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    sandbox = await spawn_one(fresh, base)

    assert (await sandbox.exec("python3 -c 'print(1)'; ls /env")).text.startswith("1\n")


async def test_a_private_source_can_be_used(fresh: Backend, tmp_path: Path):
    source = archive(tmp_path)
    source.chmod(0o600)

    await fresh.prepare(BaseSpec(key="k", source=source))


async def test_a_hostile_archive_stays_inside(make: Make, tmp_path: Path):
    target = tmp_path / "target"
    source = tmp_path / "hostile.tar"
    with tarfile.open(source, "w") as file:
        for name in (str(target), f"{'../' * 20}{target.relative_to('/')}", "fine"):
            file.addfile(tarfile.TarInfo(name))
        link = tarfile.TarInfo("way")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        file.addfile(link)
        file.addfile(tarfile.TarInfo("way/target"))
        hook = tarfile.TarInfo(".git/config")
        file.addfile(hook)
        file.addfile(tarfile.TarInfo("sub/.git/HEAD"))
    backend = make()

    try:
        base = await backend.prepare(BaseSpec(key="k", source=source))
        sandbox = await spawn_one(backend, base)
        assert (await sandbox.exec("git log --format=%s; ls -A sub")).text == "Base\n"
    except SandboxError as error:
        assert error.cause is Cause.SETUP_FAILED  # noqa: PT017 - tar may refuse it as well

    assert not target.exists()


async def test_set_up_commands_cannot_touch_the_record(make: Make, tmp_path: Path):
    backend = make()
    setup = ("! ls /run/record", "! cat /run/source.tar", "git config core.fsmonitor 'touch /x'")

    base = await backend.prepare(BaseSpec(key="k", source=archive(tmp_path), setup=setup))

    sandbox = await spawn_one(backend, base)
    await sandbox.exec("echo x >>README.md")
    assert "+x" in await sandbox.diff()


async def test_a_cancelled_preparation_leaves_nothing(fresh: Backend, tmp_path: Path):
    seconds = unique_sleep()
    spec = BaseSpec(key="k", source=archive(tmp_path), setup=(f"sleep {seconds}",))
    preparing = asyncio.create_task(fresh.prepare(spec))
    await until(lambda: alive(seconds))

    preparing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await preparing

    assert not alive(seconds)
    assert not list(tmp_path.rglob("home/**/bases/*"))
    assert not list(tmp_path.rglob("home/**/boxes/*"))


@pytest.mark.always
async def test_sandboxes_are_listed_by_owner(fresh: Backend, tmp_path: Path):
    base = await fresh.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    assert await fresh.list() == []
    [one, other] = await fresh.spawn(base, 2, owner="me")
    await fresh.spawn(base, 1, owner="you")
    assert not isinstance(one, SandboxError)
    assert not isinstance(other, SandboxError)

    assert {r.id for r in await fresh.list("me")} == {one.ref.id, other.ref.id}
    assert len(await fresh.list()) == 3
    assert await fresh.list("nobody") == []


async def test_the_end_of_a_sandbox_can_be_asked_for_often(fresh: Backend, tmp_path: Path):
    base = await fresh.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    sandbox = await spawn_one(fresh, base)

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(sandbox.destroy())

    await sandbox.destroy()
    assert await fresh.destroy(sandbox.ref) is False
    assert await fresh.list() == []
    for act in (sandbox.exec("true"), sandbox.tree(), sandbox.diff()):
        with pytest.raises(SandboxError) as lost:
            await act
        assert lost.value.cause is Cause.SANDBOX_LOST


@pytest.mark.real_on("prime")
async def test_a_sandbox_ends_under_a_running_command(fresh: Backend, tmp_path: Path):
    seconds = unique_sleep()
    base = await fresh.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    sandbox = await spawn_one(fresh, base)
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    assert await fresh.destroy(sandbox.ref) is True

    assert not alive(seconds)
    try:
        assert (await running).exit_code != 0
    except SandboxError as lost:
        assert lost.cause is Cause.SANDBOX_LOST  # noqa: PT017 - either way it is over


async def test_an_unknown_sandbox(fresh: Backend):
    assert await fresh.destroy(SandboxRef(backend="x", id="none", owner="me")) is False


async def test_another_backend_of_the_home_can_end_a_sandbox(make: Make, tmp_path: Path):
    seconds = unique_sleep()
    one, other = make(), make()
    base = await one.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    sandbox = await spawn_one(one, base)
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    assert [ref.id for ref in await other.list()] == [sandbox.ref.id]
    assert await other.destroy(sandbox.ref) is True

    assert not alive(seconds)
    with pytest.raises(SandboxError):
        await running


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.always
async def test_nothing_is_left(name: str, make: Make, tmp_path: Path):
    home, installation = tmp_path / "home", secrets.token_hex(8)
    backend = make(name, installation)
    assert leftovers(home, installation=installation) == NOTHING

    base = await backend.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    sandboxes = [
        b for b in await backend.spawn(base, 3, owner="x") if not isinstance(b, SandboxError)
    ]
    for sandbox in sandboxes:
        await sandbox.exec("mkdir -p a/b; touch a/b/c; chmod 0 a/b a; rm -r src; setsid sleep 99 &")
        await sandbox.exec("sleep 99", timeout_s=0.1)
    if name == "bubblewrap":
        seen = leftovers(home, installation=installation)
        assert seen.processes
        assert seen.folders
    await sandboxes[0].destroy()
    if name == "container":
        # The engine's own monitor of each ends a moment after its container is gone.
        await until(lambda: not alive(sandboxes[0].ref.id))
    assert not alive(sandboxes[0].ref.id)
    await backend.close()

    assert leftovers(home, installation=installation) == NOTHING
    again = await spawn_one(backend, base)
    assert (await again.exec("echo again")).text == "again\n"
    await backend.close()
    assert leftovers(home, installation=installation) == NOTHING


@pytest.mark.real_on("prime")
async def test_cancelled_spawning_leaves_nothing(fresh: Backend, tmp_path: Path):
    base = await fresh.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    for turns in range(0, 40, 8):
        spawning = asyncio.create_task(fresh.spawn(base, 4, owner="x"))
        for _ in range(turns):
            await asyncio.sleep(0)
        spawning.cancel()
        await asyncio.wait([spawning])
        # A backend whose sandboxes are only folders may be done before the last of these moments.
        assert turns or spawning.cancelled()
        for sandbox in () if spawning.cancelled() else spawning.result():
            assert not isinstance(sandbox, SandboxError)
            await sandbox.destroy()

    assert await fresh.list() == []
    assert not list(tmp_path.rglob("home/**/boxes/*"))
    # Process 1 of a sandbox that was about to start waits for its bubblewrap, even for a dead one.
    assert alive(str(tmp_path / "home")) == []


DOOMED = """
import asyncio, sys
from pathlib import Path
from yudai.sandboxes.backends.{module}.backend import {name} as Backend
from yudai.sandboxes.port import BaseRef

async def main():
    backend = Backend(Path(sys.argv[1]), installation=sys.argv[2])
    sandboxes = await backend.spawn(BaseRef(key="k"), 2, owner="doomed")
    print("ready", flush=True)
    s = sys.argv[3]
    await asyncio.gather(*(one.exec(f"setsid sleep {{s}} & sleep {{s}}") for one in sandboxes))

asyncio.run(main())
"""


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.always
async def test_what_a_killed_process_leaves_is_reaped(name: str, make: Make, tmp_path: Path):
    home, installation = tmp_path / "home", secrets.token_hex(8)
    seconds = f"7891.{secrets.randbelow(10**9):09d}"
    backend = make(name, installation)
    base = await backend.prepare(BaseSpec(key="k", source=archive(tmp_path)))
    mine = await spawn_one(backend, base)
    program = DOOMED.format(module=name, name=type(backend).__name__)
    doomed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, str(home), installation, seconds),
        stdout=asyncio.subprocess.PIPE,
    )
    assert doomed.stdout is not None
    assert await doomed.stdout.readline() == b"ready\n"
    await until(lambda: len(alive(seconds)) >= 4)
    assert await backend.reap() == []
    ids = [ref.id for ref in await backend.list("doomed")]

    doomed.send_signal(signal.SIGKILL)
    await doomed.wait()

    if name == "bubblewrap":
        await until(lambda: not alive(seconds))
    assert {ref.owner for ref in await backend.list()} == {"doomed", "test"}
    told = await backend.reap(dry_run=True)
    assert {ref.owner for ref in await backend.list()} == {"doomed", "test"}
    assert [(each.backend, each.id, each.owner) for each in told] == [
        (name, sandbox, "doomed") for sandbox in ids
    ]
    assert all(each.why and each.age_s is not None and 0 < each.age_s < 600 for each in told)
    assert [each.id for each in await backend.reap()] == ids
    assert await backend.reap() == []
    assert {ref.owner for ref in await backend.list()} == {"test"}
    cgroups = leftovers(home, installation=installation).cgroups
    assert [path for path in cgroups if path.endswith(tuple(ids))] == []
    assert (await mine.exec("echo alive")).text == "alive\n"
    assert alive(seconds) == []


@pytest.mark.always
async def test_half_built_bases_are_reaped(on_disk: Backend, tmp_path: Path):
    seconds = unique_sleep()
    fresh = on_disk
    spec = BaseSpec(key="k", source=archive(tmp_path))
    await fresh.prepare(spec)
    bases = next(tmp_path.rglob("home/**/bases"))
    (bases / "dead" / "tree").mkdir(parents=True)
    preparing = asyncio.create_task(
        fresh.prepare(BaseSpec(key="young", source=archive(tmp_path), setup=(f"sleep {seconds}",)))
    )
    await until(lambda: alive(seconds))

    [told] = await fresh.reap(dry_run=True)
    assert (told.id, told.why) == ("dead", "a base whose build was abandoned")
    assert (bases / "dead").exists()
    assert await fresh.reap() == [told]

    assert {path.name for path in bases.glob("[!.]*")} == {"k", "young"}
    preparing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await preparing
    assert {path.name for path in bases.iterdir()} == {"k"}


async def test_a_half_built_base_is_built_again(on_disk: Backend, tmp_path: Path):
    fresh = on_disk
    spec = BaseSpec(key="k", source=archive(tmp_path))
    await fresh.prepare(spec)
    next(tmp_path.rglob("bases/k/base.json")).unlink()
    with pytest.raises(SandboxError, match="not prepared"):
        await fresh.spawn(BaseRef(key="k"), 1, owner="x")

    await fresh.prepare(spec)

    assert (await (await spawn_one(fresh, BaseRef(key="k"))).exec("cat README.md")).exit_code == 0


def test_a_backend_works_in_one_loop_after_another(tmp_path: Path):
    backend = BubblewrapBackend(tmp_path / "home", limits=LIMITS)
    spec = BaseSpec(key="k", source=archive(tmp_path))

    async def use() -> str:
        sandbox = await spawn_one(backend, await backend.prepare(spec))
        text = (await sandbox.exec("echo fine")).text
        await sandbox.destroy()
        return text

    assert [asyncio.run(use()) for _ in range(2)] == ["fine\n", "fine\n"]
    asyncio.run(backend.close())
