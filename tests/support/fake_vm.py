"""A machine for the warden: a fake VM, with a line to it that can be cut at any moment."""

import asyncio
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.support.clouds.vm import VM, VMDiedError
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.environment import variables
from yudai.sandboxes.backends.remote.cloud import ConnectionCutError, GoneError, MachineOutput
from yudai.sandboxes.backends.remote.commands import AGENT_HOME, RemoteCommands
from yudai.sandboxes.port import ENV, SandboxLimits

MIB = 1 << 20
LIMITS = SandboxLimits(memory_bytes=256 * MIB, processes=64, disk_bytes=64 * MIB)
Condition = Callable[[], object]


class VMMachine:
    id = "vm"
    variables: Mapping[str, str] = {}

    def __init__(self, vm: VM) -> None:
        self.vm = vm
        self.lines: list[str] = []
        self.puts: list[str] = []
        self.greeting = b""
        """What a shell's start-up says before anything else."""
        self.without = ""
        """A program that cannot be found."""
        self.cuts: list[Condition | None] = []
        """One for each line to come that is cut: once that holds, or (None) after its end."""
        self.deaf = 0
        """So many lines to come are not even heard."""

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        return await self._run(line, None, timeout_s, max_bytes)

    async def _run(
        self, line: str, text: bytes | None, timeout_s: float, max_bytes: int
    ) -> MachineOutput:
        self.lines.append(line)
        assert len(line) < 100_000
        if self.deaf:
            self.deaf -= 1
            raise ConnectionCutError("the line is dead")
        if self.without:
            line = line.replace(self.without, f"no-{self.without}")
        cut = self.cuts.pop(0) if self.cuts else _never
        try:
            async with asyncio.timeout(timeout_s):
                process = await self.vm.exec(["bash", "-c", line], stdin=text)
                try:
                    if cut not in (None, _never):
                        await until(cut)
                        await self.vm.signal(process.pid)
                        raise ConnectionCutError("the line was cut")
                    said = self.greeting + await process.stdout.read(-1)
                    said += await process.stderr.read(-1)
                    code = await process.wait()
                finally:
                    process.close()
        except VMDiedError as error:
            raise GoneError("the machine is gone") from error
        if cut is None:
            raise ConnectionCutError("the line was cut")
        if len(said) > max_bytes:
            raise SandboxError("it says too much")
        return MachineOutput(code, said)

    async def put(self, path: str, content: bytes) -> None:
        self.puts.append(path)
        if self.deaf:
            self.deaf -= 1
            raise ConnectionCutError("the line is dead")
        await self.vm.write(path, content)

    async def allow(self, hosts: Sequence[str]) -> None:
        raise NotImplementedError

    async def extend(self, ttl_s: float) -> None:
        raise NotImplementedError


class ListeningMachine(VMMachine):
    """One that takes texts beside its lines, as a container does."""

    torn = 0
    """So many texts to come arrive by half."""

    async def tell(
        self, line: str, text: bytes, *, timeout_s: float, max_bytes: int = 1 << 20
    ) -> MachineOutput:
        if self.torn:
            self.torn -= 1
            text = text[: len(text) // 2]
        return await self._run(line, text, timeout_s, max_bytes)


def _never() -> bool:
    """The line holds."""
    return False


def remote_commands(machine: VMMachine, limits: SandboxLimits = LIMITS) -> RemoteCommands:
    words = variables(home=AGENT_HOME, path=(f"{ENV}/bin",), env=ENV)
    return RemoteCommands(machine, variables=words, limits=limits)


def start_vm(folder: Path) -> VM:
    return VM.start(folder, env=Path(sys.prefix))


def unique_sleep() -> str:
    """Seconds that no other process sleeps: found again in the host's process list."""
    return f"{1000 + secrets.randbelow(1000)}.{secrets.randbelow(10**9):09d}"


def alive(token: str) -> list[int]:
    """Processes of the host that have this word in their command line, and are no zombies."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[:2] == [b"sleep", token.encode()] and state not in "ZX":
                found.append(int(folder.name))
    return found


def command_lines() -> list[str]:
    """What everybody on this host can read of its processes."""
    found: list[str] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = file.read_bytes().rstrip(b"\0").split(b"\0")
            found.append(b" ".join(words).decode(errors="replace"))
    return found


async def until(condition: Condition, *, seconds: float = 20.0) -> None:
    """For what has no event of its own to wait for."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the host's process list has no event
            await asyncio.sleep(0.01)
