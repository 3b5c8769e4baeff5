"""Commands of a bubblewrap sandbox through its runner, with limits on time, output and disk."""

import asyncio
import itertools
import os
import posixpath
from pathlib import Path
from typing import Unpack

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.mounts import CONTROL
from yudai.sandboxes.backends.bubblewrap.runner import Runner
from yudai.sandboxes.backends.local.cgroups import Cgroup, OomCounter
from yudai.sandboxes.backends.local.commands import DiskWatch, run_script, supervise
from yudai.sandboxes.backends.network.egress import EgressSocket
from yudai.sandboxes.backends.warden.protocol import Ending
from yudai.sandboxes.backends.workspace.output import Capture
from yudai.sandboxes.port import WORKSPACE, Exec, ExecOptions, ExecResult

_BIG = 1 << 20
# The runner passes it to bash only.
_NO_SHELL = '[ -z "$BASH" ] || export -n SHELL;'


class RunnerCommands:
    """One command at a time; the caller queues them."""

    def __init__(
        self,
        runner: Runner,
        *,
        control: Path,
        cgroup: Cgroup,
        disk: DiskWatch,
        egress: EgressSocket | None = None,
    ) -> None:
        """Each command starts its own forwarder to `egress`, as no process outlives a command."""
        self._runner = runner
        self._outlet = egress
        self._control = control
        self._oom = OomCounter(cgroup.memory)
        self._disk = disk
        self._numbers = itertools.count(1)

    @property
    def lost(self) -> str:
        return self._runner.lost

    def locate(self, path: str) -> str:
        return posixpath.join(WORKSPACE, path)

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult:
        asked = Exec(command, **options)
        env = asked.env or {}
        if self._outlet is not None:
            opening = self._outlet.opening
            command = f"{opening} {command}" if opening else command
            env = {**self._outlet.variables, **env}
        if "SHELL" not in env:
            command = f"{_NO_SHELL} {command}"
        asked = asked._replace(command=command, cwd=self.locate(asked.cwd), env=env)
        return await run_script(
            asked, self._run, lost=self.lost, disk=self._disk, oom=self._oom.rang
        )

    async def end(self) -> None:
        try:
            await self._runner.end()
        finally:
            if self._outlet is not None:
                await self._outlet.server.close()
            self._oom.close()

    async def _run(self, asked: Exec, text: bytes, capture: Capture) -> Ending:
        stdin = asked.stdin
        if len(stdin) > _BIG:
            await asyncio.to_thread(_put, f"{self._control}/stdin", stdin)
        elif stdin:
            _put(f"{self._control}/stdin", stdin)
        _put(f"{self._control}/request", text)
        source = f"{CONTROL}/stdin" if stdin else "/dev/null"
        try:
            return await supervise(
                self._runner.ask(next(self._numbers), source, capture),
                timeout_s=asked.timeout_s,
                disk=self._disk,
                kill=self._runner.kill_commands,
            )
        finally:
            self._runner.hang_up()


def _put(path: str, content: bytes) -> None:
    """Reused for every command: the previous one no longer reads it."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        with open(file, "wb", buffering=0) as writer:  # noqa: PTH123 - a descriptor
            # The sandbox's user may be another than ours, whatever our umask says.
            os.fchmod(file, 0o644)
            writer.truncate(writer.write(content))
    except OSError as error:
        raise SandboxError(f"the command cannot be sent to the runner: {error}") from error
