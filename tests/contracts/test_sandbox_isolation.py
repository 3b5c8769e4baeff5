"""Walls: what a sandbox cannot reach. A backend without walls has to say so."""

import asyncio
import os
import secrets
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from tests.contracts.conftest import LIMITS, Promises, alive, spawn_one, unique_sleep, until
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.domain.guarantees import KINDS, WALLS
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, ExecResult, Sandbox

# Prime has the warden of e2b, which is what these tests look at; `always` shows the way to it.
pytestmark = pytest.mark.real_on("prime")

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
OWN = ("/dev", "/env", "/etc", "/proc", "/run", "/tmp", "/var", "/workspace")  # noqa: S108 - in the sandbox


async def python(sandbox: Sandbox, program: str) -> ExecResult:
    return await sandbox.exec("python -", stdin=dedent(program).encode())


@pytest.mark.always
async def test_a_backend_says_what_it_keeps(backend: Backend):
    said = await backend.capabilities()

    assert sorted(g.name for g in said.guarantees) == sorted(KINDS)
    assert all(g.how for g in said.guarantees)
    assert {g.holds for g in said.guarantees if g.name in WALLS} == {said.isolated}
    assert await backend.capabilities() is said or not said.isolated


async def test_no_file_of_the_host(sandbox: Sandbox, promises: Promises, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("host's own")

    seen = "host's own" in (await sandbox.exec(f"cat {secret}")).text

    assert seen is not await promises("files")


async def test_nothing_but_programs_is_shown(walled: Sandbox, prepared: tuple[Path, BaseSpec]):
    home = prepared[0]
    for path in (
        "/etc/shadow",
        "/etc/sudoers",
        "/sys",
        "/boot",
        str(Path("~root/.ssh").expanduser()),
        home,
    ):
        assert (await walled.exec(f"ls -d {path}")).exit_code != 0, path
    names = (await walled.exec("ls -A / | tr '\\n' ' '")).text.split()
    assert {"bin", "dev", "env", "etc", "proc", "run", "tmp", "usr", "workspace"} <= set(names)


async def test_of_the_rest_only_the_way_to_programs_is_shown(
    walled: Sandbox, prepared: tuple[Path, BaseSpec]
):
    """An environment keeps its path, which its scripts name: in somebody's home, say."""
    tools = toolchain.find(prepared[1].env)
    assert tools.env
    programs = {tools.env, *(place for _, place in (*tools.binds, *tools.links))}
    known = {*map(Path, (*SYSTEM, *OWN)), *programs}
    skipped = " -o ".join(f"-path {shlex.quote(str(place))}" for place in known)

    found = await walled.exec(f"find / -mindepth 1 \\( {skipped} \\) -prune -o -print")

    way = {folder for place in programs for folder in place.parents[:-1]}
    expected = {folder for folder in way if not known & {folder, *folder.parents}}
    assert set(map(Path, found.text.splitlines())) == expected


async def test_only_the_workspace_and_temporary_folders_can_be_written(walled: Sandbox):
    result = await python(
        walled,
        """
        import os
        found = []
        for folder, folders, _ in os.walk("/"):
            folders[:] = [f for f in folders if folder + f not in ("/proc", "/usr", "/devpts")]
            if os.access(folder, os.W_OK):
                found.append(folder)
                folders.clear()
        print(*sorted(found))
        """,
    )
    assert result.text.split() == ["/dev/shm", "/tmp", "/workspace"]  # noqa: S108 - in the sandbox


async def test_no_setting_of_the_kernel_can_be_written(walled: Sandbox):
    """As it could in a user namespace of root's, where the host's root owns these files."""
    result = await python(
        walled,
        """
        import os
        for top in ("/proc/sys", "/proc/irq", "/proc/bus", "/dev"):
            for folder, _, files in os.walk(top):
                for name in files:
                    path = os.path.realpath(os.path.join(folder, name))
                    if top == "/dev":
                        try:
                            os.chmod(path, os.stat(path).st_mode & 0o777)
                        except OSError:
                            continue
                        if not path.startswith(("/dev/pts/", "/dev/shm/")):
                            print(path)
                    elif os.access(path, os.W_OK) and not os.stat(path).st_mode & 0o002:
                        print(path)
        for path in ("/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg", "/proc/mtrr"):
            if os.access(path, os.W_OK):
                print(path)
        """,
    )
    assert (result.exit_code, result.text) == (0, "")


async def test_links_that_point_at_the_host_lead_nowhere(walled: Sandbox, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("host's own")
    await walled.exec(f"ln -s {secret} stolen; ln -s {tmp_path} folder")

    with pytest.raises(FileNotFoundError):
        await walled.read("stolen")
    with pytest.raises(OSError, match="folder"):
        await walled.write("folder/planted", b"x")
    assert "host's own" not in await walled.diff()
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


async def test_the_hosts_variables_are_not_passed_on(
    backend: Backend, base: BaseRef, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("YUDAI_TEST_SECRET", "s3cr3t")
    sandbox = await spawn_one(backend, base)

    result = await sandbox.exec("env; cat /proc/self/environ")

    assert "s3cr3t" not in result.text
    names = {line.partition("=")[0] for line in (await sandbox.exec("env")).text.splitlines()}
    assert not names & {"SSH_AUTH_SOCK", "VIRTUAL_ENV_PROMPT", "XDG_RUNTIME_DIR"}
    assert {"HOME", "LANG", "PATH", "TERM"} <= names


async def test_nor_can_they_be_found(
    sandbox: Sandbox, promises: Promises, monkeypatch: pytest.MonkeyPatch
):
    token = secrets.token_hex(16)
    sleeper = await asyncio.create_subprocess_exec("sleep", "1000", env={"SECRET": token})
    try:
        result = await sandbox.exec("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'")
    finally:
        sleeper.kill()
        await sleeper.wait()

    assert (token in result.text) is not await promises("environment")


@pytest.mark.always
async def test_no_network(sandbox: Sandbox, promises: Promises):
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read())
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        result = await sandbox.exec(f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo hello >&3")
        reached = result.exit_code == 0
        if reached:
            await until(lambda: heard)

    assert reached is not await promises("network")


async def test_its_own_loopback_works(walled: Sandbox):
    result = await python(
        walled,
        """
        import socket
        with socket.create_server(("127.0.0.1", 0)) as server:
            with socket.create_connection(server.getsockname()) as client:
                client.sendall(b"x")
                print(server.accept()[0].recv(1))
        """,
    )
    assert result.text == "b'x'\n"


async def test_it_sees_no_process_of_the_host(sandbox: Sandbox, promises: Promises):
    seconds = unique_sleep()
    sleeper = await asyncio.create_subprocess_exec("sleep", seconds)
    try:
        seen = (await sandbox.exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).text
    finally:
        sleeper.kill()
        await sleeper.wait()

    assert (seconds not in seen) is await promises("processes")


async def test_no_one_is_in_the_sandbox_but_its_runner(walled: Sandbox):
    assert (await walled.exec("set -- /proc/[0-9]*; echo $#")).text == "2\n"


async def test_commands_cannot_kill_the_runner(walled: Sandbox):
    result = await walled.exec(
        "for s in HUP INT QUIT PIPE ALRM TERM USR1 USR2 STOP KILL CHLD; do kill -s $s 1; done;"
        "kill -9 $PPID; kill -9 0 & wait; echo survived"
    )
    assert "survived" in result.text or result.exit_code == 137

    await walled.exec("sleep 1000 & kill -9 -1")

    assert (await walled.exec("echo next; set -- /proc/[0-9]*; echo $#")).text == "next\n2\n"


FORGERY = """
import ctypes, os, resource, struct

libc = ctypes.CDLL(None, use_errno=True)
answers = b"".join(b"%d 0\\n" % n for n in range(1, 60))


def succeeds(act):
    try:
        return act() not in (None, -1)
    except OSError:
        return False


def write(number):
    return os.write(os.open(f"/proc/1/fd/{number}", os.O_WRONLY), answers)


# What is printed, and what any descriptor of ours leads to.
os.write(1, answers)
os.write(2, answers)
for number in range(3, 256):
    if succeeds(lambda: os.write(number, answers)):
        print("WROTE", number)
# Descriptors and memory of the runner.
for number in range(256):
    if succeeds(lambda: write(number)):
        print("OPENED", number)
for name in ("mem", "environ", "maps", "auxv"):
    if succeeds(lambda: os.open(f"/proc/1/{name}", os.O_RDONLY)):
        print("READ", name)
if succeeds(lambda: os.open("/proc/1/mem", os.O_RDWR)):
    print("MEMORY")
for request in (16, 0x4206):
    if succeeds(lambda: libc.ptrace(request, 1, 0, 0)):
        print("TRACED")
pidfd = os.pidfd_open(1)
for number in range(16):
    if succeeds(lambda: libc.syscall(438, pidfd, number, 0)):
        print("STOLE", number)
word = ctypes.create_string_buffer(8)
vector = struct.pack("PN", ctypes.addressof(word), 8)
if succeeds(lambda: libc.process_vm_readv(1, vector, 1, vector, 1, 0)):
    print("PEEKED")
for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU):
    if succeeds(lambda: resource.prlimit(1, limit, (0, 0))):
        print("LIMITED")
# The runner's own files.
for path in ("/run/yudai/sh", "/run/yudai/runner", "/run/yudai/9"):
    if succeeds(lambda: os.open(path, os.O_WRONLY | os.O_CREAT)):
        print("CHANGED", path)
for path in ("/run/yudai/sh", "/run/yudai/runner"):
    if succeeds(lambda: os.chmod(path, 0o777) or 1):
        print("OPENED UP", path)
print("END")
"""


async def test_the_runners_answers_cannot_be_forged(walled: Sandbox):
    result = await walled.exec("python -; exit 7", stdin=FORGERY.encode())

    said = [line for line in result.text.splitlines() if not line[:1].isdigit()]
    assert said == ["END"], result.text[-3000:]
    assert result.exit_code == 7
    for number in range(3):
        assert (await walled.exec(f"exit {number}")).exit_code == number


async def test_what_waits_in_the_output_pipe_answers_nothing(walled: Sandbox):
    """A command may read and write that pipe as it likes: nobody takes its word for a status."""
    result = await walled.exec("exec 5<>/run/yudai/output; echo '3 0' >&5; echo '4 0' >&5; exit 9")

    assert result.exit_code == 9
    assert (await walled.exec("exit 8")).exit_code == 8


async def test_no_further_namespaces_keys_or_kernel_programs(walled: Sandbox):
    result = await python(
        walled,
        """
        import ctypes, os, platform
        numbers = {
            "x86_64": dict(unshare=272, keyctl=250, add_key=248, bpf=321, io_uring=425),
            "aarch64": dict(unshare=97, keyctl=219, add_key=217, bpf=280, io_uring=425),
        }[platform.machine()]
        libc = ctypes.CDLL(None, use_errno=True)
        for name, number in numbers.items():
            first = 0x10000000 if name == "unshare" else 0
            if libc.syscall(number, first, 0, 0, 0, 0) != -1:
                print(name)
            elif ctypes.get_errno() not in (1, 38):
                print(name, os.strerror(ctypes.get_errno()))
        """,
    )
    assert (result.exit_code, result.text) == (0, "")


async def test_no_capability_and_no_way_to_one(walled: Sandbox):
    status = (await walled.exec("cat /proc/self/status")).text
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)

    assert int(fields["CapPrm"], 16) == int(fields["CapEff"], 16) == int(fields["CapAmb"], 16) == 0
    assert fields["NoNewPrivs"] == "1"


async def test_to_the_host_it_is_not_root(walled: Sandbox):
    seconds = f"4321.{secrets.randbelow(10**9):09d}"
    running = asyncio.create_task(walled.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in alive(seconds)}

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert 0 not in owners


async def test_ordinary_programs_still_work(walled: Sandbox):
    result = await python(
        walled,
        """
        import multiprocessing, os, pty, subprocess, tempfile, threading
        threads = [threading.Thread(target=print, args=("thread",)) for _ in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(sum(pool.map(abs, [-1, -2])))
        print(len(pty.openpty()))
        print(subprocess.check_output(["id", "-un"], text=True).strip())
        with tempfile.NamedTemporaryFile("w") as file:
            print(os.path.exists(file.name))
        print(os.path.exists(os.environ["HOME"]), os.access(os.environ["HOME"], os.W_OK))
        """,
    )
    assert result.text.split("\n")[3:] == ["3", "2", "agent", "True", "True True", ""], result.text


async def test_memory_is_limited(sandbox: Sandbox, promises: Promises):
    if not await promises("memory"):
        return
    program = f"x = bytearray({4 * LIMITS.memory_bytes}); print(len(x))"

    result = await sandbox.exec(f'python -c "{program}"; echo then')

    assert result.oom
    assert result.text.endswith("then\n")
    after = await sandbox.exec("echo next")
    assert (after.text, after.oom) == ("next\n", False)
    assert not Path("oom").exists(), "an engine's monitor has left it where we are"


async def test_memory_in_files_counts_too(sandbox: Sandbox, promises: Promises):
    if not await promises("memory"):
        return

    result = await sandbox.exec(
        "head -c 2G /dev/zero >/tmp/big; head -c 2G /dev/zero >/dev/shm/big"
    )

    assert result.exit_code != 0 or result.oom
    left = await sandbox.exec("cat /tmp/big /dev/shm/big 2>/dev/null | wc -c", timeout_s=60)
    assert int(left.text) <= LIMITS.memory_bytes
    assert (await sandbox.exec("rm -f /tmp/big /dev/shm/big; echo next")).text == "next\n"


async def test_a_fork_bomb_is_contained(sandbox: Sandbox, promises: Promises):
    if not await promises("process count"):
        return

    await sandbox.exec("bomb() { bomb | bomb & }; bomb", timeout_s=3)

    count = "n=0; for p in /proc/[0-9]*; do [ ! -O $p ] || n=$((n + 1)); done; echo $n"
    assert (await sandbox.exec(f"echo next; {count}")).text in ("next\n1\n", "next\n2\n")


async def test_a_crowd_is_refused(sandbox: Sandbox, promises: Promises):
    if not await promises("process count"):
        return

    crowd = f"for i in $(seq {2 * LIMITS.processes}); do sleep 30 & done"
    result = await sandbox.exec(f"dash -c '{crowd}' || exit 7")

    assert result.exit_code == 7, result.text
    assert (await sandbox.exec("echo next")).text == "next\n"


async def test_a_file_cannot_grow_past_the_disk_limit(sandbox: Sandbox, promises: Promises):
    if not await promises("disk"):
        return

    await sandbox.exec("head -c 200M /dev/zero >big")

    assert int((await sandbox.exec("stat -c %s big")).text) <= LIMITS.disk_bytes


async def test_a_workspace_that_fills_the_disk_is_stopped(sandbox: Sandbox):
    """The one part of the disk's limit that every backend keeps."""
    result = await sandbox.exec(
        "i=0; while [ $i -lt 2000 ]; do head -c 2M /dev/zero >f$i; i=$((i + 1)); sleep 0.01; done",
        timeout_s=60,
    )

    assert result.disk_full
    assert not result.timed_out
    after = await sandbox.exec("rm f*; echo next")
    assert (after.text, after.disk_full) == ("next\n", False)


async def test_a_sandbox_killed_from_outside_is_lost(
    walled: Sandbox, walled_backend: BubblewrapBackend, base: BaseRef
):
    other = await spawn_one(walled_backend, base)
    running = asyncio.create_task(walled.exec("sleep 1000"))
    bwrap = [
        pid for pid in alive(walled.ref.id) if Path(f"/proc/{pid}/exe").readlink().name == "bwrap"
    ]
    os.kill(bwrap[0], 9)

    with pytest.raises(SandboxError) as lost:
        await running

    assert lost.value.cause is Cause.SANDBOX_LOST
    with pytest.raises(SandboxError):
        await walled.exec("true")
    assert not await walled.health()
    assert await other.health()
    await walled.destroy()
    assert alive(walled.ref.id) == []
