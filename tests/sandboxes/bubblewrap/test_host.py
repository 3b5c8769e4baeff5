"""What sandboxes stand on: each way to start one that this host allows, whatever its shell is."""

import asyncio
import errno
import fcntl
import itertools
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.open_descriptors import inherited_pipe
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap import etc, mounts
from yudai.sandboxes.backends.bubblewrap import host as ground
from yudai.sandboxes.backends.bubblewrap.create import Guard
from yudai.sandboxes.backends.bubblewrap.host import HostSetup
from yudai.sandboxes.backends.bubblewrap.mounts import Features
from yudai.sandboxes.backends.bubblewrap.runner import Runner
from yudai.sandboxes.backends.local.cgroups import Cgroup, ulimits
from yudai.sandboxes.backends.local.home import find_shell
from yudai.sandboxes.backends.local.processes import own_namespace
from yudai.sandboxes.backends.toolchain.toolchain import Toolchain
from yudai.sandboxes.backends.workspace.output import Capture
from yudai.sandboxes.port import SandboxLimits

LIMITS = SandboxLimits()
NO_PYTHON = Toolchain()
SHELLS = [path for name in ("dash", "bash", "busybox") if (path := shutil.which(name))]


def stand(tmp_path: Path, features: Features, *, sh: str = "/bin/sh") -> HostSetup:
    lease = tmp_path / "lease"
    lease.mkdir()
    ground.furnish(lease, sh=Path(sh))
    found = etc.find(tmp_path / "etc", features.identity.uid)
    return HostSetup(features, lease, found, find_shell())


def descriptors() -> set[Path]:
    return set(Path("/proc/self/fd").iterdir())


@asynccontextmanager
async def running(
    here: HostSetup, folder: Path, *, groups: Sequence[Path] = ()
) -> AsyncGenerator[Runner]:
    work = folder / "work"
    work.mkdir()
    here.features.identity.give(work)
    control = here.new_control(folder)
    argv = here.frame(NO_PYTHON, LIMITS).argv(
        control, mounts.writable(work), ulimits(LIMITS, Cgroup())
    )
    runner = await here.start(argv, control, groups=groups)
    try:
        yield runner
    finally:
        await runner.end()


async def ask(runner: Runner, folder: Path, command: str, *, number: int = 1) -> tuple[int, str]:
    request = folder / "control" / "request"
    request.write_text(command)
    request.chmod(0o644)
    capture = Capture(100_000)
    status = await runner.ask(number, "/dev/null", capture)
    runner.hang_up()
    return status, capture.result().output.decode()


@pytest.mark.parametrize(
    "features", list(ground.candidates()), ids=lambda f: f"{f.identity.how} overlay={f.overlay}"
)
async def test_each_way_that_can_be_tried_works_or_says_why(tmp_path: Path, features: Features):
    here = stand(tmp_path, features)

    said = "works"
    try:
        await ground.try_out(here, LIMITS)
    except SandboxError as error:
        said = str(error)

    assert said
    assert not list(here.lease.glob("trial-*"))


@pytest.mark.parametrize(
    "features",
    [features for features in ground.candidates() if not features.overlay],
    ids=lambda f: f"{f.bwrap} {f.identity.before} {f.identity.how}",
)
async def test_no_sandbox_has_the_hosts_network(tmp_path: Path, features: Features):
    """However it is started."""
    here = stand(tmp_path, features)
    try:
        await ground.try_out(here, LIMITS)
    except SandboxError:
        pytest.skip("not possible on this host")
    async with running(here, tmp_path) as runner:
        seen = (await ask(runner, tmp_path, "readlink /proc/self/ns/net"))[1].strip()

    assert seen.startswith("net:")
    assert seen != own_namespace("net")


def test_settings_among_programs_are_hidden(tmp_path: Path):
    """Package managers keep tokens in them."""
    root = tmp_path / "3.11"
    (root / "etc").mkdir(parents=True)
    (root / "pip.conf").write_text("token")
    (root / "etc/npmrc").write_text("token")
    (root / "etc/gitconfig").symlink_to("elsewhere")
    here = stand(tmp_path, next(ground.candidates()))

    words = here.frame(Toolchain(binds=((root, Path("/shown")),)), LIMITS).programs

    hidden = [words[i + 2] for i, word in enumerate(words) if word == "--ro-bind"]
    assert [path for path in hidden if path.startswith("/shown")] == [
        *("/shown", "/shown/pip.conf", "/shown/etc/npmrc")
    ]


async def test_the_best_way_is_taken(tmp_path: Path):
    lease = tmp_path / "lease"
    lease.mkdir()

    here = await ground.find_host_setup(lease, tmp_path / "etc", LIMITS)

    assert here.features in list(ground.candidates())
    assert not here.features.identity.is_hosts_root


@pytest.mark.parametrize("sh", SHELLS)
async def test_the_runner_works_in_every_posix_shell(tmp_path: Path, sh: str):
    here = stand(tmp_path, next(ground.candidates()), sh=sh)
    async with running(here, tmp_path) as runner:
        seen = [
            await ask(runner, tmp_path, command, number=number)
            for number, command in enumerate(
                [
                    "echo out; echo err >&2; exit 3",
                    "kill -9 $$",
                    "for i in 1 2 3 4 5 6 7 8 9; do (setsid sleep 99 &); done; echo started",
                    "for s in HUP INT QUIT TERM USR1 KILL STOP; do kill -s $s 1; done; echo fine",
                    "trap -p; ls /proc/self/fd | tr '\\n' ' '",
                    "set -- /proc/[0-9]*; echo $#",
                    "ulimit -c; ulimit -f",
                ]
            )
        ]

    assert seen == [
        (3, "out\nerr\n"),
        (137, ""),
        (0, "started\n"),
        (0, "fine\n"),
        (0, "0 1 2 3 "),
        (0, "2\n"),
        (0, f"0\n{LIMITS.disk_bytes // 1024}\n"),
    ]


async def test_an_answer_to_another_request_is_no_answer(tmp_path: Path):
    here = stand(tmp_path, next(ground.candidates()))
    async with running(here, tmp_path) as runner:
        (tmp_path / "control" / "request").write_text("exit 4")
        (tmp_path / "control" / "request").chmod(0o644)
        os.write(runner._ends.line, b"77 /dev/null\n")

        assert await ask(runner, tmp_path, "exit 4", number=78) == (4, "")


async def test_a_sandbox_that_cannot_start_says_what_bubblewrap_said(tmp_path: Path):
    here = stand(tmp_path, next(ground.candidates()))
    control = here.new_control(tmp_path)
    frame = here.frame(NO_PYTHON, LIMITS)
    argv = frame.argv(control, mounts.writable(tmp_path / "none"), ulimits(LIMITS, Cgroup()))

    with pytest.raises(SandboxError, match="none"):
        await here.start(argv, control)


async def test_a_bubblewrap_that_is_none(tmp_path: Path):
    here = stand(tmp_path, next(ground.candidates())._replace(bwrap="/nonexistent/bwrap"))
    control = here.new_control(tmp_path)
    frame = here.frame(NO_PYTHON, LIMITS)

    with pytest.raises(SandboxError, match="cannot be started"):
        await here.start(frame.argv(control, (), ulimits(LIMITS, Cgroup())), control)


async def test_a_group_that_cannot_be_entered_stops_the_start(tmp_path: Path):
    """Without its limits a sandbox must not run at all."""
    here = stand(tmp_path, next(ground.candidates()))
    work = tmp_path / "work"
    work.mkdir()
    control = here.new_control(tmp_path)
    argv = here.frame(NO_PYTHON, LIMITS).argv(
        control, mounts.writable(work), ulimits(LIMITS, Cgroup())
    )

    with pytest.raises(SandboxError):
        await here.start(argv, control, groups=[Path("/dev/full")])


@pytest.mark.parametrize(
    ("file", "value", "named"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces"),
        ("kernel/other", "0", "seccomp=unconfined"),
    ],
)
def test_the_remedy_is_named(tmp_path: Path, file: str, value: str, named: str):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(f"{value}\n")

    assert named in ground.remedy(tmp_path)
    assert "--sandbox process" in ground.remedy(tmp_path)


def test_etc_shows_only_what_everybody_may_read(tmp_path: Path):
    host = tmp_path / "host"
    (host / "ssl/certs").mkdir(parents=True)
    (host / "ssl/private").mkdir()
    (host / "ssl/private/key").write_text("secret")
    (host / "ssl/certs/closed.pem").write_text("secret")
    (host / "ssl/certs/closed.pem").chmod(0o600)
    (host / "ssl/certs/open.pem").write_text("open")
    (host / "shadow").write_text("secret")
    (host / "localtime").symlink_to("/usr/share/zoneinfo/UTC")

    folder, shared = etc.find(tmp_path / "store", 1234, host=host)

    assert shared == ()
    assert (folder / "ssl/certs/open.pem").read_text() == "open"
    assert "agent:x:1234:1234" in (folder / "passwd").read_text()
    assert (folder / "localtime").is_symlink()
    assert not [p for p in folder.rglob("*") if p.is_file() and p.read_text() == "secret"]
    assert etc.find(tmp_path / "store", 1234, host=host).folder == folder
    os.utime(host / "ssl/certs", (1, 1))
    assert etc.find(tmp_path / "store", 1234, host=host).folder != folder


def test_large_folders_for_everybody_are_shown_as_they_are(tmp_path: Path):
    certs = tmp_path / "host/ssl/certs"
    (certs / "below").mkdir(parents=True)
    for number in range(40):
        (certs / f"{number}.pem").symlink_to("below/one")
    (certs / "below/one").write_text("open")
    store = tmp_path / "store"

    folder, shared = etc.find(store, 1234, host=tmp_path / "host")

    assert shared == ((certs, "/etc/ssl/certs"),)
    assert list((folder / "ssl/certs").iterdir()) == []
    (certs / "below/one").chmod(0o640)
    folder, shared = etc.find(store, 1234, host=tmp_path / "host")
    assert shared == ()
    assert (folder / "ssl/certs/7.pem").is_symlink()
    assert list((folder / "ssl/certs/below").iterdir()) == []


def test_a_guard_kills_who_is_left_when_its_writer_is_gone():
    sleepers = [subprocess.Popen(["sleep", "100"]) for _ in range(3)]
    guard = Guard()
    for number, sleeper in enumerate(sleepers):
        guard.watch(str(number), sleeper.pid)
    guard.forget("1")

    guard.close()

    assert [s.wait(10) for s in (sleepers[0], sleepers[2])] == [-signal.SIGKILL] * 2
    assert sleepers[1].poll() is None
    sleepers[1].kill()
    sleepers[1].wait()


def test_a_guard_that_was_killed_is_replaced():
    sleeper = subprocess.Popen(["sleep", "100"])
    guard = Guard()
    guard.watch("1", sleeper.pid)
    assert guard._process is not None
    guard._process.kill()
    guard._process.wait()

    guard.watch("2", 2**22 + 1)
    guard.close()

    assert sleeper.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize("n", [0, 1, 2, 3])
async def test_the_runner_enters_each_group(tmp_path: Path, n: int):
    groups = [tmp_path / f"group-{number}" for number in range(n)]
    for group in groups:
        group.touch()

    async with running(stand(tmp_path, next(ground.candidates())), tmp_path, groups=groups):
        assert [group.read_text() for group in groups] == ["0\n"] * n


@pytest.mark.parametrize("is_filtered", [True, False])
async def test_commands_have_none_of_our_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_filtered: bool
):
    """Neither those of the runner, wherever they were with us, nor what we were started with.

    On some machines there is no filter of system calls.
    """
    monkeypatch.setattr("yudai.sandboxes.backends.bubblewrap.runner._FREE", 200)
    here = stand(tmp_path, next(ground.candidates()))
    if not is_filtered:
        (here.lease / "syscalls").write_bytes(b"")
    with inherited_pipe():
        async with running(here, tmp_path) as runner:
            status, seen = await ask(runner, tmp_path, "cd /proc/self/fd && echo *")

    # Bash reads the command's text from 255.
    assert (status, set(seen.split()) - {"255"}) == (0, {"0", "1", "2", "3"})


async def test_no_signal_is_ignored_or_blocked_because_it_is_with_us(tmp_path: Path):
    before = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    try:
        async with running(stand(tmp_path, next(ground.candidates())), tmp_path) as runner:
            _, said = await ask(runner, tmp_path, "grep -E 'SigIgn|SigBlk' /proc/self/status")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGUSR2, before)

    fields = [int(line.split()[1], 16) for line in said.splitlines()]
    seen = {n for field in fields for n in range(1, 65) if field >> (n - 1) & 1}
    assert len(fields) == 2
    # What is left is glibc's own business between threads.
    assert seen & signal.valid_signals() == set()


OPENING = (
    *((socket, "socketpair"), (os, "pipe"), (os, "open"), (fcntl, "fcntl")),
    *((os, "posix_spawn"), (os, "pidfd_open")),
)


@pytest.mark.parametrize("last", range(16))
async def test_a_start_without_enough_descriptors_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
):
    """Whichever of them is the one too many."""
    here = stand(tmp_path, next(ground.candidates()))
    control = here.new_control(tmp_path)
    before = descriptors()
    called = itertools.count()

    def short(real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        if next(called) == last:
            raise OSError(errno.EMFILE, "none is left")
        return real(*args, **options)

    with monkeypatch.context() as patching:
        patching.setattr("yudai.sandboxes.backends.bubblewrap.runner._FREE", 200)
        for module, name in OPENING:
            patching.setattr(module, name, partial(short, getattr(module, name)))
        with pytest.raises(SandboxError, match="none is left"):
            await here.start([here.features.bwrap, "--version"], control)

    assert descriptors() <= before


async def test_an_end_that_is_cancelled_goes_on(tmp_path: Path):
    here = stand(tmp_path, next(ground.candidates()))
    before = descriptors()
    async with running(here, tmp_path) as runner:
        ending = asyncio.create_task(runner.end())
        await asyncio.sleep(0)
        ending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ending

    assert descriptors() <= before


async def test_nothing_is_left_of_a_start_that_is_cancelled(tmp_path: Path):
    here = stand(tmp_path, next(ground.candidates()))
    work = tmp_path / "work"
    work.mkdir()
    control = here.new_control(tmp_path)
    argv = here.frame(NO_PYTHON, LIMITS).argv(
        control, mounts.writable(work), ulimits(LIMITS, Cgroup())
    )
    before = descriptors()
    starting = asyncio.create_task(here.start(argv, control))
    await asyncio.sleep(0)

    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert descriptors() <= before
