"""Commands over a line that breaks, hangs or is let go: run once, and dead when nobody waits."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.clouds.vm import copy_disk
from tests.support.fake_vm import (
    ListeningMachine,
    VMMachine,
    alive,
    command_lines,
    remote_commands,
    start_vm,
    unique_sleep,
    until,
)
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote import commands as commands_module
from yudai.sandboxes.backends.remote import warden_client
from yudai.sandboxes.backends.remote import warden_client as line_module
from yudai.sandboxes.backends.remote.cloud import (
    BusyError,
    ConnectionCutError,
    FullError,
    GoneError,
    MachineOutput,
)
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.backends.warden.protocol import Ending, hear, room_for, say
from yudai.sandboxes.port import SandboxLimits


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("warden") / "disk"
    vm = start_vm(folder)
    try:
        asyncio.run(remote_commands(VMMachine(vm)).init())
    finally:
        vm.stop()
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


def verbs(machine: VMMachine) -> list[str]:
    return [line.partition("warden.pyz ")[2].split()[0] for line in machine.lines]


async def test_a_line_that_is_cut_while_a_command_runs(sandbox: RemoteCommands, machine: VMMachine):
    workspace = machine.vm.folder / "workspace"
    machine.cuts = [(workspace / "begun").exists, None]

    result = await sandbox.exec("echo x >>begun; echo out; sleep 0.5; echo end >>begun; exit 5")

    assert (result.exit_code, result.output) == (5, b"out\n")
    assert (workspace / "begun").read_text() == "x\nend\n"
    assert verbs(machine) == ["exec"] * 3


async def test_a_line_that_is_dead_for_a_while(sandbox: RemoteCommands, machine: VMMachine):
    machine.deaf = 2

    assert (await sandbox.exec("echo x >>f; cat f")).text == "x\n"
    assert len(machine.lines) == 3


async def test_a_big_request_over_a_bad_line(sandbox: RemoteCommands, machine: VMMachine):
    machine.deaf = 1
    machine.cuts.append(None)

    result = await sandbox.exec("cat >>f; wc -c <f", stdin=b"x" * 3_000_000)

    assert result.text == "3000000\n"
    assert len(machine.puts) == 2


async def test_a_big_request_that_no_one_takes(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch
):
    """Each try takes long, as a line does that was good for a while."""
    monkeypatch.setattr(commands_module, "_GRACE_S", 0.3)
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.01,) * 5)
    monkeypatch.setattr(line_module, "_LONG_S", 0.02)
    tries = 0

    async def hang(path: str, content: bytes) -> None:
        nonlocal tries
        tries += 1
        await asyncio.sleep(0.04)
        raise ConnectionCutError(f"{path} was not taken: {len(content)} bytes")

    monkeypatch.setattr(machine, "put", hang)
    with pytest.raises(SandboxError, match="was not taken") as lost:
        await asyncio.wait_for(sandbox.exec("cat", stdin=b"x" * 100_000, timeout_s=5), 10)
    assert (lost.value.cause, tries) == (Cause.SANDBOX_LOST, 6)


@pytest.mark.parametrize("step", ["exec", "init"])
async def test_a_file_that_hangs_has_an_end(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch, step: str
):
    monkeypatch.setattr(commands_module, "_GRACE_S", 0.2)
    monkeypatch.setattr(warden_client, "_STEP_S", 1.0)

    async def hang(path: str, content: bytes) -> None:
        await asyncio.sleep(3600)
        raise AssertionError(f"{path} was not taken: {len(content)} bytes")

    monkeypatch.setattr(machine, "put", hang)
    big = sandbox.exec("cat", stdin=b"x" * 100_000, timeout_s=0.1)
    doing = asyncio.wait_for(sandbox.init() if step == "init" else big, 20)
    with pytest.raises(SandboxError) as lost:
        await doing
    assert lost.value.cause is Cause.SANDBOX_LOST
    assert sandbox.lost
    big.close()


async def test_a_machine_that_is_cut_off_again_and_again_is_not_greeted_for_ever(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.01,))
    monkeypatch.setattr(line_module, "_LONG_S", 0.02)
    monkeypatch.setattr(warden_client, "_STEP_S", 0.5)

    async def cut(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        await asyncio.sleep(0.04)
        raise ConnectionCutError(f"{line} {timeout_s} {max_bytes}")

    monkeypatch.setattr(machine, "run", cut)
    with pytest.raises(SandboxError, match="does not answer"):
        await asyncio.wait_for(sandbox.init(), 10)


async def test_a_big_request_for_which_there_is_no_room(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch
):
    """As for a short one: who has filled the disk has not lost its machine by our fault."""

    async def refuse(path: str, content: bytes) -> None:
        raise FullError(f"no room for {path}: {len(content)} bytes")

    monkeypatch.setattr(machine, "put", refuse)
    result = await sandbox.exec("wc -c", stdin=b"x" * 100_000)

    assert (result.exit_code, result.disk_full) == (126, True)
    assert result.text == "yudai: the disk is full\n"
    assert (await sandbox.exec("echo well")).text == "well\n"
    assert not sandbox.lost


async def test_what_is_asked_for_stands_on_no_process_list(machine: VMMachine):
    listening = ListeningMachine(machine.vm)
    listening.torn = 1
    sandbox = remote_commands(listening)
    begun = machine.vm.folder / "workspace" / "begun"
    token = f"canary-{unique_sleep()}"

    command = f"touch begun; : {token}; cat; while [ -e begun ]; do sleep 0.1; done"
    running = asyncio.create_task(sandbox.exec(command, stdin=b"in"))
    await until(begun.exists)
    shown = command_lines()
    begun.unlink()

    assert (await running).output == b"in"
    *_, request, _ = listening.lines[-1].split()
    asked = [line for line in shown if request in line]
    assert asked
    assert all(line.endswith(f"warden.pyz exec {request} -") for line in asked)
    assert not [line for line in shown if token in line]
    assert verbs(listening) == ["exec"] * 2
    assert listening.puts == []


async def test_a_line_that_stays_dead(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.01, 0.01))
    machine.deaf = 1000

    with pytest.raises(SandboxError, match="line is dead") as lost:
        await sandbox.exec("true")

    assert lost.value.cause is Cause.SANDBOX_LOST
    assert sandbox.lost
    machine.deaf = 0
    with pytest.raises(SandboxError, match="line is dead"):
        await sandbox.exec("true")
    assert len(machine.lines) == 3


async def test_a_machine_that_dies(sandbox: RemoteCommands, machine: VMMachine):
    seconds = unique_sleep()
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    machine.vm.stop()

    with pytest.raises(SandboxError, match="gone") as lost:
        await running
    assert lost.value.cause is Cause.SANDBOX_LOST
    assert alive(seconds) == []
    assert "gone" in sandbox.lost


async def test_a_cancelled_command_is_dead(sandbox: RemoteCommands, machine: VMMachine):
    seconds = unique_sleep()
    running = asyncio.create_task(
        sandbox.exec(f"echo old; setsid sleep {seconds} & sleep {seconds}")
    )
    await until(lambda: len(alive(seconds)) == 2)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert alive(seconds) == []
    result = await sandbox.exec("echo new; exit 5")
    assert (result.exit_code, result.output) == (5, b"new\n")
    assert verbs(machine) == ["exec", "kill", "exec"]


async def test_cancelled_twice_it_is_stopped_in_the_background(
    sandbox: RemoteCommands, machine: VMMachine
):
    seconds = unique_sleep()
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    running.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert (await sandbox.exec("echo new")).text == "new\n"
    assert alive(seconds) == []


async def test_what_is_cancelled_before_it_begins_never_begins(
    sandbox: RemoteCommands, machine: VMMachine
):
    """Its line is heard after all, when nobody wants it any more."""
    held = asyncio.Event()
    reached = asyncio.Event()
    run = machine.run

    async def slow(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        if " exec " in line and not held.is_set():
            reached.set()
            late.append(line)
            await held.wait()
        return await run(line, timeout_s=timeout_s, max_bytes=max_bytes)

    late: list[str] = []
    machine.run = slow
    running = asyncio.create_task(sandbox.exec("echo x >>f"))
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    held.set()

    said = await machine.run(late[0], timeout_s=30)

    assert b'"killed": true' in said.output
    assert (await sandbox.exec("cat f")).exit_code == 1


async def test_an_old_request_that_comes_late_is_not_run_again(
    sandbox: RemoteCommands, machine: VMMachine
):
    await sandbox.exec("echo x >>f")
    await sandbox.exec("echo y >>f")

    said = await machine.run(machine.lines[0], timeout_s=30)

    assert b'"lost": "the warden was killed' in said.output
    assert (await sandbox.exec("cat f")).text == "x\ny\n"


async def test_the_same_request_twice_at_once(sandbox: RemoteCommands, machine: VMMachine):
    run = machine.run

    async def twice(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        async with asyncio.TaskGroup() as group:
            both = [group.create_task(run(line, timeout_s=timeout_s)) for _ in range(3)]
        assert len({task.result() for task in both}) == 1
        return both[0].result()

    machine.run = twice

    assert (await sandbox.exec("echo x >>f; sleep 0.2; cat f")).text == "x\n"


async def test_a_line_that_hangs_ends_with_our_own_deadline(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch
):
    """What had ended long ago is told as it was, what had not is a timeout."""
    monkeypatch.setattr(commands_module, "_GRACE_S", 1.0)
    run = machine.run

    async def hang(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        said = await run(line, timeout_s=timeout_s, max_bytes=max_bytes)
        if " exec " in line:
            await asyncio.Event().wait()
        return said

    machine.run = hang
    ended = await sandbox.exec("echo out; exit 3", timeout_s=1.0)
    assert (ended.exit_code, ended.text, ended.timed_out) == (3, "out\n", False)

    async def deaf(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        if " exec " in line:
            await asyncio.Event().wait()
        return await run(line, timeout_s=timeout_s, max_bytes=max_bytes)

    machine.run = deaf
    never = await sandbox.exec("echo x >f", timeout_s=0.2)
    assert (never.exit_code, never.timed_out) == (124, True)
    machine.run = run
    assert (await sandbox.exec("ls")).text == ""


async def test_what_cannot_be_stopped_is_lost(
    sandbox: RemoteCommands, machine: VMMachine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(commands_module, "_STOP_S", 0.2)
    seconds = unique_sleep()
    run = machine.run

    async def no_kill(line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        if " kill " in line:
            await asyncio.Event().wait()
        return await run(line, timeout_s=timeout_s, max_bytes=max_bytes)

    machine.run = no_kill
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    with pytest.raises(SandboxError, match="could not be stopped"):
        await sandbox.exec("true")


async def test_the_end_lets_no_one_wait(sandbox: RemoteCommands):
    seconds = unique_sleep()
    running = asyncio.create_task(sandbox.exec(f"sleep {seconds}"))
    await until(lambda: alive(seconds))

    await sandbox.end()

    with pytest.raises(SandboxError, match="destroyed") as lost:
        await running
    assert lost.value.cause is Cause.SANDBOX_LOST
    with pytest.raises(SandboxError, match="destroyed"):
        await sandbox.as_root().exec("true")
    await sandbox.end()


class Scripted:
    """A machine that answers what it was told to."""

    id = "scripted"
    variables: Mapping[str, str] = {}

    def __init__(self, *answers: bytes | Exception) -> None:
        self.answers = list(answers)
        self.lines: list[str] = []

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        assert timeout_s > 0
        assert max_bytes > 0
        self.lines.append(line)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        name = line.split()[7]
        return MachineOutput(0, answer.replace(b"NAME", name.encode()))

    async def put(self, path: str, content: bytes) -> None: ...

    async def allow(self, hosts: Sequence[str]) -> None: ...

    async def extend(self, ttl_s: float) -> None: ...


def scripted(*answers: bytes | Exception) -> RemoteCommands:
    return RemoteCommands(Scripted(*answers), variables={}, limits=SandboxLimits())


def answer(body: bytes = b"", **words: object) -> bytes:
    return b"".join(say("NAME", {**Ending(exit_code=0)._asdict(), **words}, body))


async def test_half_an_answer_is_asked_for_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.0,) * 6)
    whole = answer(b"x" * 100_000)
    cuts = (b"", whole[:20], whole[:-30], whole.replace(b"e", b"\xff"), b"Killed\n")

    result = await scripted(*cuts, whole).exec("true")

    assert result.output == b"x" * 100_000


@pytest.mark.parametrize(
    "said",
    [
        answer(exit_code="no number"),
        answer(truncated=[1]),
        b'yudai-warden NAME {"size": 0}\n',
    ],
)
async def test_nonsense_loses_the_machine(said: bytes):
    sandbox = scripted(said)

    with pytest.raises(SandboxError, match="warden is not understood") as lost:
        await sandbox.exec("true")

    assert lost.value.cause is Cause.SANDBOX_LOST
    assert sandbox.lost


async def test_what_the_warden_says_is_lost_is_lost():
    sandbox = scripted(answer(lost="somebody cannot be killed"))

    with pytest.raises(SandboxError, match="cannot be killed"):
        await sandbox.exec("true")

    assert sandbox.lost == "somebody cannot be killed"


async def test_a_gone_machine_is_not_asked_again():
    sandbox = scripted(GoneError("it is gone"))

    with pytest.raises(SandboxError, match="it is gone"):
        await sandbox.exec("true")


async def test_an_error_of_the_provider_does_not_leave_a_command_behind(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.0,))
    machine = Scripted(
        SandboxError("it says too much"), answer(), ConnectionCutError("cut"), answer(b"fine")
    )
    sandbox = RemoteCommands(machine, variables={}, limits=SandboxLimits())

    with pytest.raises(SandboxError, match="too much"):
        await sandbox.exec("true")
    assert " kill " in machine.lines[-1]
    with pytest.raises(ValueError, match="environment variable"):
        await sandbox.exec("true", env={"A B": "x"})

    assert (await sandbox.exec("true")).text == "fine"


async def test_a_busy_provider_is_asked_again_when_it_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.0, 0.0))
    sandbox = scripted(BusyError("429", retry_after_s=0.2), BusyError("429"), answer(b"fine"))

    loop = asyncio.get_running_loop()
    began = loop.time()
    assert (await sandbox.exec("true")).text == "fine"
    assert loop.time() - began >= 0.2


async def test_lines_that_hold_for_a_while_may_be_cut_any_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(line_module, "_PAUSES_S", (0.0,))
    monkeypatch.setattr(line_module, "_LONG_S", -1.0)

    assert (
        await scripted(*[ConnectionCutError("cut")] * 20, answer(b"fine")).exec("true")
    ).text == "fine"


@pytest.mark.parametrize("size", [0, 1, 44_999, 45_000, 45_001, 1_000_000])
def test_there_is_room_for_every_answer(size: int):
    body = bytes(size)
    said = b"".join(say("name", Ending()._asdict(), body))

    assert len(said) <= room_for(size)
    heard = hear("name", said)
    assert heard is not None
    assert heard.body == body
    assert hear("other", said) is None
