"""Commands of a bubblewrap box through its runner, with limits on time, output and disk."""

import asyncio
import itertools
import os
import posixpath
import time
from collections.abc import Mapping
from pathlib import Path

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.mounts import CONTROL
from yudai.sandboxes.backends.bubblewrap.runner import Runner
from yudai.sandboxes.backends.disk_watch import DiskWatch
from yudai.sandboxes.backends.local.cgroups import Cgroup, OomCounter
from yudai.sandboxes.backends.network.egress import Outlet
from yudai.sandboxes.backends.shell_script import CANNOT_RUN, NUL_REFUSED, TIMED_OUT, script
from yudai.sandboxes.backends.supervise import Ending, supervise
from yudai.sandboxes.backends.workspace.output import Capture
from yudai.sandboxes.port import DEFAULT_MAX_OUTPUT, WORKSPACE, ExecResult

_BIG = 1 << 20
# The runner gives it to bash, and to nobody else.
_NO_SHELL = '[ -z "$BASH" ] || export -n SHELL;'


class RunnerCommands:
    """One command at a time: the caller takes turns."""

    def __init__(
        self,
        runner: Runner,
        *,
        control: Path,
        cgroup: Cgroup,
        disk: DiskWatch,
        outlet: Outlet | None = None,
    ) -> None:
        """Every command opens the way to an `outlet` anew, for nothing outlives a command."""
        self._runner = runner
        self._outlet = outlet
        self._control = control
        self._oom = OomCounter(cgroup.memory)
        self._disk = disk
        self._numbers = itertools.count(1)

    @property
    def lost(self) -> str:
        return self._runner.lost

    def locate(self, path: str) -> str:
        return posixpath.join(WORKSPACE, path)

    async def exec(
        self,
        command: str,
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        max_output: int = DEFAULT_MAX_OUTPUT,
        stdin: bytes = b"",
    ) -> ExecResult:
        if self._outlet is not None:
            opening = self._outlet.opening
            command = f"{opening} {command}" if opening else command
            env = {**self._outlet.variables, **(env or {})}
        if "SHELL" not in (env or {}):
            command = f"{_NO_SHELL} {command}"
        text = script(command, cwd=self.locate(cwd), env=env)
        if text is None:
            return ExecResult(exit_code=CANNOT_RUN, output=NUL_REFUSED)
        if self.lost:
            raise SandboxError(self.lost, cause=Cause.SANDBOX_LOST)
        capture, began = Capture(max_output), time.monotonic()
        end = await self._run(text, stdin, capture=capture, timeout_s=timeout_s)
        output, truncated = capture.result()
        return ExecResult(
            exit_code=TIMED_OUT if end.timed_out else end.status,
            output=output,
            truncated=truncated,
            timed_out=end.timed_out,
            oom=self._oom.rang(),
            disk_full=end.disk_full or await self._disk.is_full(),
            duration_s=time.monotonic() - began,
        )

    async def end(self) -> None:
        try:
            await self._runner.end()
        finally:
            if self._outlet is not None:
                await self._outlet.server.close()
            self._oom.close()

    async def _run(
        self, text: bytes, stdin: bytes, *, capture: Capture, timeout_s: float
    ) -> Ending:
        if len(stdin) > _BIG:
            await asyncio.to_thread(_put, f"{self._control}/stdin", stdin)
        elif stdin:
            _put(f"{self._control}/stdin", stdin)
        _put(f"{self._control}/request", text)
        source = f"{CONTROL}/stdin" if stdin else "/dev/null"
        try:
            return await supervise(
                self._runner.ask(next(self._numbers), source, capture),
                timeout_s=timeout_s,
                disk=self._disk,
                kill=self._runner.kill_commands,
            )
        finally:
            self._runner.hang_up()


def _put(path: str, content: bytes) -> None:
    """Used again and again: nobody reads it any more when the next command is due."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        with open(file, "wb", buffering=0) as writer:  # noqa: PTH123 - a descriptor
            # The box's user may be another than ours, whatever our umask says.
            os.fchmod(file, 0o644)
            writer.truncate(writer.write(content))
    except OSError as error:
        raise SandboxError(f"a command cannot be handed over: {error}") from error
