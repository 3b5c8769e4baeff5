"""Commands of a bubblewrap box through its runner, with limits on time, output and disk."""

import asyncio
import itertools
import posixpath
import time
from collections.abc import Mapping
from pathlib import Path

from yudai.adapters.sandboxes.cgroups import Cgroup
from yudai.adapters.sandboxes.disk import DiskWatch
from yudai.adapters.sandboxes.mounts import CONTROL
from yudai.adapters.sandboxes.output import Capture
from yudai.adapters.sandboxes.runner import Runner
from yudai.adapters.sandboxes.script import CANNOT_RUN, NUL_REFUSED, TIMED_OUT, script
from yudai.adapters.sandboxes.supervising import Ending, supervise
from yudai.domain.errors import SandboxError
from yudai.domain.failure import Cause
from yudai.ports.sandbox import DEFAULT_MAX_OUTPUT, WORKSPACE, ExecResult

_BIG = 1 << 20


class RunnerCommands:
    """One command at a time: the caller takes turns."""

    def __init__(self, runner: Runner, *, control: Path, cgroup: Cgroup, disk: DiskWatch) -> None:
        self._runner = runner
        self._control = control
        self._cgroup = cgroup
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
        text = script(command, cwd=self.locate(cwd), env=env)
        if text is None:
            return ExecResult(exit_code=CANNOT_RUN, output=NUL_REFUSED)
        if self.lost:
            raise SandboxError(self.lost, cause=Cause.SANDBOX_LOST)
        capture, began, kills = Capture(max_output), time.monotonic(), self._cgroup.oom_kills()
        end = await self._run(text, stdin, capture=capture, timeout_s=timeout_s)
        output, truncated = capture.result()
        return ExecResult(
            exit_code=TIMED_OUT if end.timed_out else end.status,
            output=output,
            truncated=truncated,
            timed_out=end.timed_out,
            oom=self._cgroup.oom_kills() > kills,
            disk_full=end.disk_full or await self._disk.is_full(),
            duration_s=time.monotonic() - began,
        )

    async def end(self) -> None:
        await self._runner.end()

    async def _run(
        self, text: bytes, stdin: bytes, *, capture: Capture, timeout_s: float
    ) -> Ending:
        number = next(self._numbers)
        request, source = self._control / str(number), self._control / f"{number}.in"
        try:
            _put(request, text)
            if len(stdin) > _BIG:
                await asyncio.to_thread(_put, source, stdin)
            elif stdin:
                _put(source, stdin)
            name = f"{CONTROL}/{source.name}" if stdin else "/dev/null"
            return await supervise(
                self._runner.ask(number, name, capture),
                timeout_s=timeout_s,
                disk=self._disk,
                kill=self._runner.kill_commands,
            )
        finally:
            self._runner.hang_up()
            request.unlink(missing_ok=True)
            source.unlink(missing_ok=True)


def _put(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    # The box's user may be another than ours, whatever our umask says.
    file.chmod(0o644)
