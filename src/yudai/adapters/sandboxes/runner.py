"""The line to a box's runner: one numbered request at a time, its output, its numbered answer."""

import asyncio
import fcntl
import json
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from yudai.adapters.sandboxes.output import Capture
from yudai.adapters.sandboxes.processes import children, parent, readable
from yudai.domain.errors import SandboxError
from yudai.domain.failure import Cause

_CHUNK = 1 << 18
_PIPE_BYTES = 1 << 18
_START_S = 60.0
_NOWHERE = Path("/dev/null")


class Launch(NamedTuple):
    """What it takes to start a box."""

    argv: Sequence[str]
    control: Path
    """A folder that the box sees; its output comes through a pipe there."""
    syscalls: Path
    """A filter of system calls for bubblewrap; an empty file for none."""
    groups: Sequence[Path] = ()
    """At most two files where the runner writes 0 to enter its control groups."""


class _Ends(NamedTuple):
    """Our ends: of the line to the runner, and both of the commands' output."""

    line: int
    output: int
    output_in: int
    """Held open, so that there is always a writer."""
    report: int
    """Bubblewrap tells here what it has started, and that it has ended."""


class _Pending(NamedTuple):
    number: int
    status: "asyncio.Future[int]"
    capture: Capture


class Runner:
    """Owns the bubblewrap process and the pipes; not safe for two requests at once."""

    def __init__(self, process: "subprocess.Popen[bytes]", ends: _Ends) -> None:
        self._process = process
        self._ends = ends
        self._pid = -1
        self._pidfds = [os.pidfd_open(process.pid)]
        self._heard = b""
        self._pending: _Pending | None = None
        self._closed = False
        self.lost: str = ""
        """Why this box cannot be used any more; "" while it can."""

    @classmethod
    async def start(cls, launch: Launch) -> "Runner":
        """Start a box and wait until its runner listens; what goes wrong is bubblewrap's own word.

        The calling thread must outlive the box, which the kernel ends together with it.
        """
        runner = cls(*_start(launch))
        try:
            async with asyncio.timeout(_START_S):
                await runner._ready()
        except BaseException as error:
            await runner.end()
            if isinstance(error, TimeoutError):
                raise SandboxError("the sandbox did not start in time") from error
            raise
        return runner

    @property
    def pid(self) -> int:
        """The host's number of the box's process 1."""
        return self._pid

    def ask(self, number: int, stdin: str, capture: Capture) -> "asyncio.Future[int]":
        """Send a request; the future is the command's status, or the error that the box is lost."""
        loop = asyncio.get_running_loop()
        status: asyncio.Future[int] = loop.create_future()
        self._pending = _Pending(number, status, capture)
        loop.add_reader(self._ends.output, self._on_output)
        loop.add_reader(self._ends.line, self._on_answer)
        loop.add_reader(self._ends.report, self._on_death)
        try:
            os.write(self._ends.line, b"%d %s\n" % (number, stdin.encode()))
        except BrokenPipeError:
            self._lose("the sandbox has died")
        return status

    def hang_up(self) -> None:
        """Stop listening; a box that has not answered is killed, for it might do so later."""
        if self._pending is not None and self._pending.status.cancel():
            self.lost = self.lost or "the sandbox did not answer"
            self._kill()
        self._deaf()
        self._pending = None

    def kill_commands(self) -> None:
        """Kill what the runner has started itself; it then kills everything else and answers."""
        for pid in children(self._pid):
            with suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                try:
                    if parent(pid) == self._pid:
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                finally:
                    os.close(descriptor)

    async def end(self) -> None:
        """Kill the box and wait until each of its processes is gone."""
        self._lose("the sandbox has been destroyed")
        self._closed = True
        # The kernel lets process 1 go only after everything else in its namespace.
        for descriptor in reversed(self._pidfds):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            await readable(descriptor)
        self._process.wait()
        for descriptor in (*self._pidfds, *self._ends):
            os.close(descriptor)

    async def _ready(self) -> None:
        while b"ready\n" not in self._heard:
            await readable(self._ends.line)
            data = _receive(self._ends.line)
            self._heard += data
            if not data:
                raise SandboxError(self._heard.decode(errors="replace").strip() or "no answer")
        self._heard = b""
        self._pid = int(json.loads(os.read(self._ends.report, _CHUNK))["child-pid"])
        self._pidfds.append(os.pidfd_open(self._pid))

    def _on_output(self) -> bool:
        try:
            data = os.read(self._ends.output, _CHUNK)
        except BlockingIOError:
            return False
        if self._pending is not None:
            self._pending.capture.feed(data)
        return True

    def _on_answer(self) -> None:
        data = _receive(self._ends.line)
        if not data:
            self._lose("the sandbox has died")
            return
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            number, _, status = line.partition(b" ")
            if self._pending is not None and number == b"%d" % self._pending.number:
                self._settle(int(status))

    def _on_death(self) -> None:
        """Without bubblewrap above it a box might outlive us."""
        self._kill()
        self._lose("the sandbox has died")

    def _settle(self, status: int) -> None:
        """Every writer is dead: what is in the pipe is the rest."""
        while self._on_output():
            pass
        if self._pending is not None and not self._pending.status.done():
            self._pending.status.set_result(status)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfds[-1], signal.SIGKILL)

    def _deaf(self) -> None:
        if not self._closed:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._ends.output)
            loop.remove_reader(self._ends.line)
            loop.remove_reader(self._ends.report)

    def _lose(self, why: str) -> None:
        self.lost = self.lost or why
        self._deaf()
        if self._pending is not None and not self._pending.status.done():
            error = SandboxError(self.lost, cause=Cause.SANDBOX_LOST)
            self._pending.status.set_exception(error)


def _receive(line: int) -> bytes:
    try:
        return os.read(line, _CHUNK)
    except ConnectionResetError:
        return b""


def _start(launch: Launch) -> "tuple[subprocess.Popen[bytes], _Ends]":
    """Three descriptors for the runner, and two numbered ones that bubblewrap keeps to itself."""
    line, theirs = (end.detach() for end in socket.socketpair())
    report = os.pipe()
    groups = [*launch.groups, _NOWHERE, _NOWHERE][:2]
    given = [theirs, report[1], os.open(launch.syscalls, os.O_RDONLY)]
    ends = [line, report[0]]
    try:
        ends[1:1] = _output(launch.control / "output")
        given += [os.open(group, os.O_WRONLY) for group in groups]
        process = _popen(launch.argv, *given)
    except OSError as error:
        for descriptor in ends:
            os.close(descriptor)
        raise SandboxError(f"the sandbox cannot be started: {error}") from error
    finally:
        for descriptor in given:
            os.close(descriptor)
    return process, _Ends(*ends)


def _popen(
    argv: Sequence[str], line: int, report: int, syscalls: int, first: int, second: int
) -> "subprocess.Popen[bytes]":
    told = ["--json-status-fd", str(report)]
    if os.fstat(syscalls).st_size:
        told += ["--seccomp", str(syscalls)]
    return subprocess.Popen(  # noqa: S603 - our own argument list
        [argv[0], *told, *argv[1:]],
        stdin=first,
        stdout=second,
        stderr=line,
        pass_fds=(report, syscalls),
        env={},
        cwd="/",
        start_new_session=True,
    )


def _output(path: Path) -> tuple[int, int]:
    """Each command opens this pipe anew, so that none inherits what another did to it."""
    os.mkfifo(path)
    path.chmod(0o622)
    output = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with suppress(OSError):
        fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return output, os.open(path, os.O_WRONLY)
