"""The warden in a machine: what it promises of each command, however hostile that is."""

import asyncio
import os
import re
import resource
import secrets
import shlex
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.clouds.machine_users import IS_ROOT, needs_users
from tests.support.clouds.vm import copy_disk
from tests.support.fake_vm import (
    LIMITS,
    MIB,
    VMMachine,
    alive,
    remote_commands,
    start_vm,
    unique_sleep,
    until,
)
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.processes import parent
from yudai.sandboxes.backends.remote import warden_client
from yudai.sandboxes.backends.remote.cloud import DeniedError, MachineOutput
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.backends.warden import limits, processes
from yudai.sandboxes.backends.warden.processes import ProcessTree
from yudai.sandboxes.backends.warden.protocol import Request
from yudai.sandboxes.backends.warden.state import Agent
from yudai.sandboxes.port import ExecResult

LIBRARY = "/var/lib/yudai/library/yudai/sandboxes/backends/warden"


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a machine in which the warden is at home."""
    folder = tmp_path_factory.mktemp("warden") / "disk"
    vm = start_vm(folder)
    try:
        welcome = asyncio.run(remote_commands(VMMachine(vm)).init())
    finally:
        vm.stop()
    assert welcome.separate is IS_ROOT
    return folder


@pytest.fixture
async def machine(disk: Path, tmp_path: Path) -> AsyncGenerator[VMMachine]:
    copy_disk(disk, tmp_path / "vm")
    vm = start_vm(tmp_path / "vm")
    yield VMMachine(vm)
    vm.kill()


@pytest.fixture
def sandbox(machine: VMMachine) -> RemoteCommands:
    return remote_commands(machine)


async def python(sandbox: RemoteCommands, program: str) -> ExecResult:
    return await sandbox.exec("python3 -", stdin=dedent(program).encode())


def test_the_parcel_is_always_the_same_and_needs_nothing_of_ours():
    warden_client.bundle.cache_clear()
    first = warden_client.bundle()
    warden_client.bundle.cache_clear()

    assert warden_client.bundle() == first
    assert 50_000 < len(first) < 400_000
    assert len(warden_client.edition()) == 12


@pytest.mark.parametrize("module", ["exec", "kill", "init", "give", "seal", "walk", "supervisor"])
def test_its_modules_need_only_pythons_own_library(module: str, tmp_path: Path):
    (tmp_path / "w.pyz").write_bytes(warden_client.bundle())
    name = f"yudai.sandboxes.backends.warden.{module}"
    program = f"import sys; sys.path.insert(0, sys.argv[1]); import {name}"

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, tmp_path / "w.pyz"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_request_comes_through_as_it_was():
    request = Request(
        "a", bytes(range(256)), {"A": "\udcff\n"}, b"\0\xff", 0.5, disk_folders=("/",)
    )

    assert Request.load(request.dump()) == request


async def test_a_command_has_output_status_and_a_clean_environment(sandbox: RemoteCommands):
    result = await sandbox.exec("echo out; echo err >&2; exit 3")

    assert (result.exit_code, result.output) == (3, b"out\nerr\n")
    flags = (result.truncated, result.timed_out, result.oom, result.disk_full)
    assert flags == (False, False, False, False)
    assert result.duration_s > 0
    names = {line.partition("=")[0] for line in (await sandbox.exec("env")).text.splitlines()}
    assert {"HOME", "PATH", "YUDAI_ENV"} <= names
    assert not names & {"YUDAI_COMMAND", "SUDO_USER", "MAIL"}


async def test_bytes_in_and_out(sandbox: RemoteCommands):
    content = bytes(range(256)) * 12_000

    result = await sandbox.exec("cat", stdin=content, max_output=len(content))

    assert result.output == content
    assert not result.truncated


async def test_a_command_of_a_megabyte(sandbox: RemoteCommands, machine: VMMachine):
    assert (await sandbox.exec(f"x='{'y' * 1_000_000}'; echo ${{#x}}")).text == "1000000\n"
    assert len(machine.puts) == 1
    assert (await sandbox.exec("echo short")).text == "short\n"
    assert len(machine.puts) == 1
    assert (await sandbox.as_root().exec("ls /var/lib/yudai/requests")).text == ""


async def test_streams_can_be_opened_again(sandbox: RemoteCommands):
    result = await sandbox.exec("cat /dev/stdin >/dev/stdout; echo x >/dev/stderr", stdin=b"in\n")

    assert (result.exit_code, result.text) == (0, "in\nx\n")


async def test_nul_bytes_are_refused_and_signals_are_the_shells_own(sandbox: RemoteCommands):
    assert (await sandbox.exec("echo a\0b")).exit_code == 126
    assert (await sandbox.exec("kill -9 $$")).exit_code == 137
    program = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    assert "KeyboardInterrupt" in (await sandbox.exec(f'python3 -c "{program}"')).text
    ignored = (await sandbox.exec("exec grep -E '^Sig(Ign|Blk)' /proc/self/status")).text.split()
    # 32 and 33 are the C library's: nobody can change them, whoever starts the tests.
    assert {int(word, 16) & ~(0b11 << 31) for word in ignored[1::2]} == {0}


def test_who_was_born_while_we_looked_is_seen(monkeypatch: pytest.MonkeyPatch):
    """Its parent was listed, had it, and was gone before we came to it."""
    with subprocess.Popen(["sleep", "1000"]) as child:
        gone, look = 1 << 22, processes._pids
        lists = iter([{gone}, {gone, child.pid}])
        monkeypatch.setattr(processes, "_pids", lambda: next(lists, None) or look())
        agent = Agent(uid=os.getuid(), gid=os.getgid(), separate=False, shell="/bin/sh")  # noqa: S604 - its name
        members = ProcessTree(agent)._members()
        child.kill()
    assert child.pid in members


async def test_a_timeout_is_a_result_with_the_output_so_far(sandbox: RemoteCommands):
    seconds = unique_sleep()

    result = await sandbox.exec(
        f"echo begun; setsid sleep {seconds} & sleep {seconds}", timeout_s=0.5
    )

    assert (result.exit_code, result.output, result.timed_out) == (124, b"begun\n", True)
    assert alive(seconds) == []
    assert (await sandbox.exec("kill -STOP $$", timeout_s=0.3)).timed_out


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("sleep {s} & echo ok", id="holds the output"),
        pytest.param("setsid sleep {s} & echo ok", id="own session"),
        pytest.param("nohup sleep {s} >/dev/null 2>&1 & echo ok", id="nohup"),
        pytest.param("(sleep {s} &); (setsid sleep {s} &); echo ok", id="double fork"),
        pytest.param("(trap '' TERM HUP; env -i setsid sleep {s} &) & echo ok", id="hides"),
    ],
)
async def test_nothing_survives_a_command(sandbox: RemoteCommands, command: str):
    seconds = unique_sleep()

    result = await sandbox.exec(command.format(s=seconds), timeout_s=30)

    assert (result.exit_code, result.text, result.timed_out) == (0, "ok\n", False)
    assert alive(seconds) == []


@needs_users
async def test_a_fork_bomb_ends_with_its_command(sandbox: RemoteCommands):
    result = await sandbox.exec("bomb() { bomb | bomb & }; bomb; sleep 60", timeout_s=1)

    assert result.exit_code == 124 or "fork" in result.text
    assert (await sandbox.exec("echo next; ps -o pid= -u agent | wc -l")).text.split()[0] == "next"
    assert (await sandbox.as_root().exec("ps -o pid= -u agent | wc -l")).text == "0\n"


@needs_users
async def test_those_who_stop_everybody_are_stopped(sandbox: RemoteCommands):
    """The warden's own helper is one of them for a moment."""
    program = "import os\nwhile True: os.kill(-1, 19)"

    result = await sandbox.exec(f"python3 -c {shlex.quote(program)}", timeout_s=0.7)

    assert result.timed_out
    assert (await sandbox.exec("echo next")).text == "next\n"


@needs_users
async def test_a_crowd_is_refused(sandbox: RemoteCommands):
    crowd = f"for i in $(seq {2 * LIMITS.processes}); do sleep 30 & done"

    result = await sandbox.exec(f"dash -c '{crowd}' || exit 7")

    assert result.exit_code == 7, result.text
    assert (await sandbox.exec("echo next")).text == "next\n"


async def test_zombies_do_not_gather(sandbox: RemoteCommands):
    orphans = "for i in $(seq 100); do (true & ) ; done; sleep 0.2; ps -o stat= -A | grep -c Z"

    assert int((await sandbox.exec(orphans)).text) < 50


async def test_a_flood_is_cut_in_the_machine(sandbox: RemoteCommands, machine: VMMachine):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    result = await sandbox.exec("yes 0123456789", timeout_s=1.5, max_output=100_000)

    assert (result.timed_out, result.truncated) == (True, True)
    assert 90_000 < len(result.output) <= 100_000
    assert result.output.startswith(b"0123456789\n")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


async def test_the_wardens_memory_is_bounded_too(sandbox: RemoteCommands):
    """The last thing that a flood says is what its parent takes."""
    command = (
        "head -c 300000000 /dev/zero;"
        " cat /proc/$(sed -n 's/^PPid:\t//p' /proc/$$/status)/statm; echo"
    )

    result = await sandbox.exec(command, max_output=10_000, timeout_s=60)

    pages = int(result.output.split(b"\0")[-1].split()[1])
    assert pages * resource.getpagesize() < 64 * MIB


async def test_output_that_everybody_closes_costs_nothing(sandbox: RemoteCommands):
    result = await sandbox.exec("exec >&- 2>&-; sleep 0.7; exit 4")

    assert (result.exit_code, result.output) == (4, b"")


async def test_a_disk_that_fills_up(sandbox: RemoteCommands):
    fill = "while [ $i -lt 2000 ]; do head -c 2M /dev/zero >{f}$i; i=$((i+1)); sleep 0.01; done"
    for place in ("f", "$HOME/f"):
        result = await sandbox.exec("i=0; " + fill.format(f=place), timeout_s=60)

        assert (result.disk_full, result.timed_out) == (True, False)
        after = await sandbox.exec(f"rm {place}*; echo next")
        assert (after.text, after.disk_full) == ("next\n", False)


async def test_a_disk_on_which_no_command_can_be_noted(sandbox: RemoteCommands):
    await sandbox.as_root().exec(
        "cd /var/lib/yudai/results; rm -r begun; touch begun; ln -s /dev/full probe.new"
    )

    result = await sandbox.exec("echo hello")

    assert (result.exit_code, result.disk_full) == (126, True)
    assert result.text == "yudai: the disk is full\n"


async def test_a_disk_on_which_no_answer_can_be_noted(sandbox: RemoteCommands):
    fill = """
        cd /var/lib/yudai/results
        ln -s /dev/full probe.new
        for bell in *.bell; do ln -s /dev/full ${bell%.bell}.ending.new; done
    """

    result = await sandbox.as_root().exec(fill)

    assert (result.exit_code, result.disk_full) == (126, True)
    assert (await sandbox.exec("echo next")).text == "next\n"


async def test_no_file_grows_past_the_limit(sandbox: RemoteCommands):
    await sandbox.exec("head -c 200M /dev/zero >big")

    assert int((await sandbox.exec("stat -c %s big; rm big")).text) <= LIMITS.disk_bytes


@needs_users
async def test_the_agent_reaches_nothing_of_the_wardens(sandbox: RemoteCommands):
    token = secrets.token_hex(16)
    await sandbox.exec(f"echo {token}")
    result = await python(
        sandbox,
        """
        import os, resource, signal
        top = "/var/lib/yudai"
        for path in ("", "results", "requests", "sealed", "run", "results/turn", "results/begun"):
            for act in (os.listdir, lambda p: open(p).read(), lambda p: open(p + "/x", "w")):
                try:
                    act(os.path.join(top, path))
                    print("REACHED", path, act)
                except OSError:
                    pass
        for path in ("warden.pyz", "library", "record", "run/script"):
            try:
                os.rename(os.path.join(top, path), os.path.join(top, "away"))
                print("MOVED", path)
            except OSError:
                pass
            if os.access(os.path.join(top, path), os.W_OK):
                print("WRITES", path)
        others = [int(p) for p in os.listdir("/proc") if p.isdigit()]
        others = [p for p in others if os.stat(f"/proc/{p}").st_uid != os.getuid()]
        assert len(others) > 1
        for pid in others:
            for act in (
                lambda: os.kill(pid, signal.SIGSTOP),
                lambda: os.listdir(f"/proc/{pid}/fd"),
                lambda: open(f"/proc/{pid}/mem", "rb"),
                lambda: open(f"/proc/{pid}/environ", "rb").read(),
                lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0)),
            ):
                try:
                    act()
                    print("TOUCHED", pid)
                except (OSError, PermissionError):
                    pass
        for number in range(3, 256):
            try:
                os.fstat(number)
                print("HAS", number, os.readlink(f"/proc/self/fd/{number}"))
            except OSError:
                pass
        print("END")
        """,
    )

    assert result.text == "END\n"
    assert (await sandbox.exec("exit 7")).exit_code == 7
    status = (await sandbox.exec("grep -E '^(CapEff|NoNewPrivs|Groups)' /proc/self/status")).text
    assert status.split() == ["Groups:", "CapEff:", "0" * 16, "NoNewPrivs:", "1"]


async def test_an_answer_cannot_be_forged_by_what_is_printed(sandbox: RemoteCommands):
    forged = 'yudai-warden a {"exit_code": 0, "size": 0}'

    result = await sandbox.exec(f"echo '{forged}'; exit 9")

    assert (result.exit_code, result.text) == (9, f"{forged}\n")


async def test_a_long_wait_is_not_a_silent_one(sandbox: RemoteCommands, machine: VMMachine):
    # Of another length than what stood there: Python takes the bytecode it has for a file that
    # was changed within the second in which it was written, if its size is the same.
    often = f"sed -i 's/^_SILENCE_S = .*/_SILENCE_S = 0.050/' {LIBRARY}/exec.py"
    assert (await sandbox.as_root().exec(often)).exit_code == 0
    said: list[bytes] = []
    run = machine.run

    async def listen(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        answer = await run(line, timeout_s=timeout_s, max_bytes=max_bytes)
        said.append(answer.output)
        return answer

    machine.run = listen
    result = await sandbox.exec("sleep 0.5; head -c 3000000 /dev/urandom", max_output=3_000_000)

    assert len(result.output) == 3_000_000
    assert said[0].startswith(b"...\n...\n")
    assert b"..." not in said[0][said[0].index(b"yudai-warden") :]


@pytest.mark.parametrize(
    ("files", "shot", "expected"),
    [
        ({"sys/memory.events": "oom 1\noom_kill 1\n"}, False, True),
        ({"sys/box/memory.events": "oom_kill 1\n"}, False, True),
        ({"sys/memory.events": "oom 1\noom_kill 0\n", "proc/vmstat": "oom_kill 5\n"}, True, False),
        ({"sys/memory/box/memory.oom_control": "under_oom 0\noom_kill 1\n"}, False, True),
        ({"proc/vmstat": "pgfault 1\noom_kill 5\n"}, True, True),
        ({"proc/vmstat": "pgfault 1\noom_kill 5\n"}, False, False),
        ({}, True, False),
    ],
)
def test_who_counts_those_that_memory_ran_out_for(
    files: dict[str, str],
    shot: bool,  # noqa: FBT001 - a column of the table
    expected: bool,  # noqa: FBT001 - a column of the table
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(limits, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(limits, "_CGROUPS", tmp_path / "sys")
    groups = "5:memory:/box\n2:cpu:/box\n0::/box\n"
    for name, text in {"proc/self/cgroup": groups, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(re.sub("oom_kill .*", "oom_kill 0", text))
    counter = limits.OomCounter()
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert counter.rang(shot=shot) is expected


async def test_whatever_a_shells_start_up_says(sandbox: RemoteCommands, machine: VMMachine):
    machine.greeting = b"Welcome!\nyudai-warden is great\n"

    assert (await sandbox.exec("echo fine")).text == "fine\n"


@needs_users
async def test_a_killed_supervisor_is_reported_and_leaves_no_one(sandbox: RemoteCommands):
    seconds = unique_sleep()
    running = asyncio.create_task(sandbox.exec(f"setsid sleep {seconds} & sleep {seconds}"))
    await until(lambda: len(alive(seconds)) == 2)
    [shell] = {parent(pid) for pid in alive(seconds)}
    supervisor = parent(shell or 0)
    assert supervisor is not None
    assert b"warden.pyz" in Path(f"/proc/{supervisor}/cmdline").read_bytes()

    os.kill(supervisor, signal.SIGKILL)

    with pytest.raises(SandboxError, match="warden was killed"):
        await running
    assert alive(seconds) == []
    assert "warden was killed" in sandbox.lost


async def test_as_root_and_what_it_leaves(sandbox: RemoteCommands):
    seconds = unique_sleep()
    result = await sandbox.as_root().exec(f"id -u; touch mine; setsid sleep {seconds} & true")

    assert result.text.strip() == ("0" if IS_ROOT else (await sandbox.exec("id -u")).text.strip())
    assert alive(seconds) == []
    await sandbox.give()
    assert (await sandbox.exec("echo x >mine && cat mine; stat -c %U .")).text.split()[0] == "x"


async def test_an_image_without_python(machine: VMMachine):
    machine.without = "python3"

    with pytest.raises(DeniedError, match=r"Python 3\.10 or newer as python3, .* not found"):
        await remote_commands(machine).init()


async def test_an_image_that_lacks_something_is_refused_in_one_line(tmp_path: Path):
    vm = start_vm(tmp_path / "vm")
    (tmp_path / "vm/home/agent").write_text("in the way")
    try:
        with pytest.raises(DeniedError) as refused:
            await remote_commands(VMMachine(vm)).init()
    finally:
        vm.kill()

    assert str(refused.value) == "the sandbox's image lacks a folder /home/agent (File exists)"


@pytest.mark.parametrize("version", ["python3.10", "python3.12", "python3.13", "python3.14"])
def test_it_runs_on_other_pythons(version: str, tmp_path: Path):
    program = _other_python(version)
    if program is None:
        pytest.skip(f"there is no {version}")
    (tmp_path / "w.pyz").write_bytes(warden_client.bundle())
    names = ", ".join(
        f"yudai.sandboxes.backends.warden.{m}" for m in ("exec", "kill", "init", "walk")
    )
    code = f"import sys; sys.path.insert(0, sys.argv[1]); import {names}"
    subprocess.run([program, "-I", "-S", "-c", code, tmp_path / "w.pyz"], check=True)


def _other_python(version: str) -> Path | None:
    """One that is installed for this test, wherever its kind is kept."""
    number = version.removeprefix("python")
    shelves = Path(sys.base_prefix).parent.glob(f"*{number}*/bin/{version}")
    return next((path for path in [*shelves, Path("/usr/bin", version)] if path.exists()), None)


def test_an_old_python_says_so(tmp_path: Path):
    program = _other_python("python3.9") or _other_python("python3.8")
    if program is None:
        pytest.skip("there is no old Python")
    (tmp_path / "w.pyz").write_bytes(warden_client.bundle())
    done = subprocess.run([program, tmp_path / "w.pyz", "init"], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"< 3.10" in done.stdout
