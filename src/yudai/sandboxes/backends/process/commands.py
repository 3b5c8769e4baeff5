"""Commands as plain processes of the host: a clean environment without isolation."""

import asyncio
import itertools
import os
import posixpath
import secrets
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, Unpack

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.commands import DiskWatch, run_script, supervise
from yudai.sandboxes.backends.local.processes import Mark, exited, kill_descendants, look
from yudai.sandboxes.backends.warden.protocol import Ending
from yudai.sandboxes.backends.workspace.output import Capture
from yudai.sandboxes.port import ENV, WORKSPACE, Exec, ExecOptions, ExecResult

_CHUNK = 1 << 18
_PAUSE_S = 0.005
_DOUBTS = 20
MARKER = "YUDAI_COMMAND"


class ProcessEnvironment(NamedTuple):
    """A sandbox's folders on the host, and what its commands see."""

    folder: Path
    workspace: Path
    env: Path | None
    variables: Mapping[str, str]
    shell: str
    mark: str
    """Names the sandbox in its commands' environment."""


class ProcessCommands:
    """One command at a time, in a new session and with a mark in its environment."""

    def __init__(self, around: ProcessEnvironment, *, disk: DiskWatch) -> None:
        self._around = around
        self._disk = disk
        self._numbers = itertools.count(1)
        self._running: dict[Mark, asyncio.Task[int]] = {}
        self.lost = ""

    def locate(self, path: str) -> str:
        """The port's /workspace and /env are elsewhere on the host."""
        path = posixpath.join(WORKSPACE, path)
        for place, real in ((WORKSPACE, self._around.workspace), (ENV, self._around.env)):
            if real is not None and (path == place or path.startswith(f"{place}/")):
                return f"{real}{path[len(place) :]}"
        return path

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult:
        asked = Exec(command, **options)
        asked = asked._replace(cwd=self.locate(asked.cwd))
        return await run_script(asked, self._run, lost=self.lost, disk=self._disk)

    async def end(self) -> None:
        self.lost = "the sandbox has been destroyed"
        for mark, status in list(self._running.items()):
            kill_descendants(mark)
            await asyncio.wait({status})

    async def _run(self, asked: Exec, text: bytes, capture: Capture) -> Ending:
        number = next(self._numbers)
        request, source = (self._around.folder / f"{number}{end}" for end in ("", ".in"))
        request.write_bytes(text)
        source.write_bytes(asked.stdin)
        # Their end stays open here: else a command that closes it would keep the loop awake.
        output, theirs = os.pipe()
        os.set_blocking(output, False)
        loop = asyncio.get_running_loop()
        loop.add_reader(output, _drain, output, capture)
        try:
            return await self._supervise(request, source, theirs, timeout_s=asked.timeout_s)
        finally:
            loop.remove_reader(output)
            while _drain(output, capture):
                pass
            os.close(output)
            os.close(theirs)
            request.unlink(missing_ok=True)
            source.unlink(missing_ok=True)

    async def _supervise(
        self, request: Path, source: Path, output: int, *, timeout_s: float
    ) -> Ending:
        token = f"{self._around.mark}-{secrets.token_hex(16)}"
        process = self._start(request, source, output, token)
        shell = look(process.pid)
        since = shell.started if shell else 0
        mark = Mark(process.pid, f"{MARKER}={token}".encode(), since)
        status = self._running[mark] = asyncio.create_task(_status(process, mark))
        status.add_done_callback(lambda _: self._running.pop(mark))
        try:
            return await supervise(
                status, timeout_s=timeout_s, disk=self._disk, kill=partial(kill_descendants, mark)
            )
        finally:
            if not status.done():
                self.lost = self.lost or "a command could not be stopped"

    def _start(
        self, request: Path, source: Path, output: int, token: str
    ) -> "subprocess.Popen[bytes]":
        try:
            with source.open("rb") as stdin:
                return subprocess.Popen(  # noqa: S603 - the command is this backend's very purpose
                    [self._around.shell, str(request)],
                    stdin=stdin,
                    stdout=output,
                    stderr=output,
                    env={**self._around.variables, MARKER: token},
                    cwd="/",
                    start_new_session=True,
                )
        except OSError as error:
            raise SandboxError(f"the command cannot be started: {error}") from error


async def _status(process: "subprocess.Popen[bytes]", mark: Mark) -> int:
    """The status of an ended shell, once all its child processes are gone."""
    await exited(process)
    doubts = _DOUBTS
    while (killed := await asyncio.to_thread(kill_descendants, mark)).killed or (
        killed.unsure and doubts
    ):
        doubts -= 1 if not killed.killed else 0
        await asyncio.sleep(_PAUSE_S)
    code = process.wait()
    return code if code >= 0 else 128 - code


def _drain(output: int, capture: Capture) -> bool:
    with suppress(BlockingIOError):
        data = os.read(output, _CHUNK)
        capture.feed(data)
        return True
    return False
