"""The client of a sandbox's runner: one numbered request at a time, its output and its answer."""

import asyncio
import ctypes
import fcntl
import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.processes import children, look, parent, readable
from yudai.sandboxes.backends.workspace.output import Capture

_FIRST = 3
_LAST = 2**32 - 1
_CLOSE_RANGE = 436
_ON_EXEC = 4
_OWN = Path("/proc/self/fd")


def keep() -> None:
    """All but the standard ones are closed when a program takes a child's place."""
    # The call itself, by its number, for libraries know it only since glibc 2.34.
    asked = map(ctypes.c_uint, (_FIRST, _LAST, _ON_EXEC))
    # With Python's lock held, so that no other thread of it comes in between.
    if ctypes.PyDLL(None).syscall(ctypes.c_long(_CLOSE_RANGE), *asked) != 0:
        _keep_each()


def _keep_each() -> None:
    """For kernels before 5.11."""
    for descriptor in [int(entry.name) for entry in _OWN.iterdir()]:
        if descriptor >= _FIRST:
            # The one of the listing is closed by now.
            with suppress(OSError):
                os.set_inheritable(descriptor, False)  # noqa: FBT003 - its only way


_CHUNK = 1 << 18
_PIPE_BYTES = 1 << 18
_START_S = 60.0
# Stopped, traced, dead, or about to be.
_HALTED = frozenset("TtZX")
_NOWHERE = Path("/dev/null")
_READ_LATER = os.O_RDONLY | os.O_NONBLOCK
_NICE = 10
_GROUPS = (0, 1, 3)
"""The runner's descriptors for its control groups; version 1 has three."""
_LINE, _REPORT, _SYSCALLS = 2, 4, 5
_NAMED = ((_REPORT, "--json-status-fd"), (_SYSCALLS, "--seccomp"))
"""Descriptors that bubblewrap does not pass on, by the option that names each."""
_FREE = 10
"""The lowest number of our descriptors, so that they do not collide with the sandbox's."""
_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
"""Signals that we ignore or block are reset in a sandbox, because a shell cannot reset them."""


class Launch(NamedTuple):
    """Everything that starting a sandbox needs."""

    argv: Sequence[str]
    control: Path
    """A folder that the sandbox sees; its output comes through a pipe there."""
    syscalls: Path
    """A filter of system calls for bubblewrap; an empty file for none."""
    groups: Sequence[Path] = ()
    """Files where the runner writes 0 to enter its control groups; it is alone in there."""


class _Ends(NamedTuple):
    """Our ends of the pipes: to the runner, and both of the commands' output."""

    line: int
    output: int
    output_in: int
    """Held open, so that there is always a writer; each command opens the pipe again, so that none
    inherits what another did to it."""
    report: int
    """bubblewrap reports here the started process and its end."""


class _Bwrap(NamedTuple):
    pid: int
    pidfd: int


class _Pending(NamedTuple):
    number: int
    status: "asyncio.Future[int]"
    capture: Capture


class Runner:
    """Owns the bubblewrap process and the pipes; not safe for two requests at once."""

    def __init__(self, bwrap: _Bwrap, ends: _Ends) -> None:
        self._bwrap = bwrap.pid
        self._ends = ends
        self.pid = -1
        """The host's number of the sandbox's process 1."""
        self._pidfds = [bwrap.pidfd]
        self._ending: asyncio.Task[None] | None = None
        self._heard = b""
        self._pending: _Pending | None = None
        self.lost: str = ""
        """Why this sandbox cannot be used any more; "" if it can."""

    @classmethod
    async def start(cls, launch: Launch) -> "Runner":
        """Start a sandbox and wait until its runner listens; errors are in bubblewrap's own words.

        The calling thread must outlive the sandbox, which the kernel ends together with it.
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

    def ask(self, number: int, stdin: str, capture: Capture) -> "asyncio.Future[int]":
        """Send a request; the future is the command's status, or a SandboxError."""
        status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pending = _Pending(number, status, capture)
        try:
            os.write(self._ends.line, b"%d %s\n" % (number, stdin.encode()))
        except (BrokenPipeError, ConnectionResetError):
            self._lose("the sandbox has died")
        return status

    def hang_up(self) -> None:
        """Drop a request. A sandbox that has not answered is killed: it might answer later."""
        if self._pending is not None and self._pending.status.cancel():
            self._kill()
            self._lose("the sandbox did not answer")
        self._pending = None

    def kill_commands(self) -> None:
        """Kill what the runner has started itself; it then kills everything else and answers."""
        for pid in children(self.pid):
            with suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                try:
                    if parent(pid) == self.pid:
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                finally:
                    os.close(descriptor)

    async def end(self) -> None:
        """Kill the sandbox and wait until all its processes are gone, also when cancelled."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self._lose("the sandbox has been destroyed")
        await self._meet_child()
        # The kernel lets process 1 go only after everything else in its namespace.
        for descriptor in reversed(self._pidfds):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            await readable(descriptor)
        # The parent process may have set SIGCHLD to be ignored.
        with suppress(ChildProcessError):
            os.waitpid(self._bwrap, 0)  # noqa: ASYNC222 - it is dead by now
        for descriptor in (*self._pidfds, *self._ends):
            os.close(descriptor)

    async def _meet_child(self) -> None:
        """Of a sandbox that has not said so yet, find process 1: it waits for bubblewrap's word.

        If only bubblewrap were killed, process 1 would wait forever. bubblewrap is halted first, so
        that it cannot start another one meanwhile.
        """
        if len(self._pidfds) > 1:
            return
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfds[0], signal.SIGSTOP)
        while _runs(self._bwrap):  # noqa: ASYNC110 - the kernel sends no event
            await asyncio.sleep(0)
        for pid in children(self._bwrap):
            with suppress(ProcessLookupError):
                self._pidfds.append(os.pidfd_open(pid))

    async def _ready(self) -> None:
        while b"ready\n" not in self._heard:
            await readable(self._ends.line)
            data = _receive(self._ends.line)
            self._heard += data
            if not data:
                raise SandboxError(self._heard.decode(errors="replace").strip() or "no answer")
        self._heard = b""
        self.pid = int(json.loads(os.read(self._ends.report, _CHUNK))["child-pid"])
        self._pidfds.append(os.pidfd_open(self.pid))
        _step_back(self.pid)
        loop = asyncio.get_running_loop()
        loop.add_reader(self._ends.output, self._on_output)
        loop.add_reader(self._ends.line, self._on_answer)
        loop.add_reader(self._ends.report, self._on_death)

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
        """Without bubblewrap, a sandbox might outlive us."""
        self._kill()
        self._lose("the sandbox has died")

    def _settle(self, status: int) -> None:
        """Every writer is dead, so the pipe contains the rest."""
        while self._on_output():
            pass
        if self._pending is not None and not self._pending.status.done():
            self._pending.status.set_result(status)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfds[-1], signal.SIGKILL)

    def _lose(self, why: str) -> None:
        if not self.lost:
            self.lost = why
            loop = asyncio.get_running_loop()
            for descriptor in (self._ends.output, self._ends.line, self._ends.report):
                loop.remove_reader(descriptor)
        if self._pending is not None and not self._pending.status.done():
            error = SandboxError(self.lost, cause=Cause.SANDBOX_LOST)
            self._pending.status.set_exception(error)


def _receive(line: int) -> bytes:
    try:
        return os.read(line, _CHUNK)
    except ConnectionResetError:
        return b""


def _step_back(pid: int) -> None:
    """Lower its priority: the worker, the server and the database come first.

    Where the kernel groups processes by session, one sandbox would weigh as much as a whole worker,
    and a nice value counts only within its group: so the group gets one too.
    """
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, pid, _NICE)
    with suppress(OSError):
        # Not everywhere, and from ordinary users not ten times a second.
        Path(f"/proc/{pid}/autogroup").write_text(str(_NICE))


def _runs(pid: int) -> bool:
    process = look(pid)
    return process is not None and process.state not in _HALTED


def _start(launch: Launch) -> tuple[_Bwrap, _Ends]:
    """Start bubblewrap; the numbered descriptors are for it and for the runner alone."""
    with ExitStack() as ours, ExitStack() as theirs:
        try:
            line, other = (end.detach() for end in socket.socketpair())
            _close_with(ours, line)
            fds = {_LINE: _above(theirs, other)}
            report, given = os.pipe()
            _close_with(ours, report)
            fds[_REPORT] = _above(theirs, given)
            output = _close_with(ours, os.open(launch.control / "output", _READ_LATER))
            output_in = _close_with(ours, os.open(launch.control / "output", os.O_WRONLY))
            if launch.syscalls.stat().st_size:
                fds[_SYSCALLS] = _above(theirs, os.open(launch.syscalls, os.O_RDONLY))
            entrances = chain(launch.groups, repeat(_NOWHERE))
            for number, group in zip(_GROUPS, entrances, strict=False):
                fds[number] = _above(theirs, os.open(group, os.O_WRONLY))
            bwrap = _met(_spawn(launch.argv, fds))
        except OSError as error:
            raise SandboxError(f"the sandbox cannot be started: {error}") from error
        with suppress(OSError):
            fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        ours.pop_all()
        return bwrap, _Ends(line, output, output_in, report)


def _spawn(argv: Sequence[str], fds: Mapping[int, int]) -> int:
    """It gets only these descriptors, and no keys pressed in our terminal."""
    program, *words = argv
    names = [word for number, word in _NAMED if number in fds for word in (word, str(number))]
    keep()
    return os.posix_spawn(
        program,
        [program, *names, *words],
        {},
        file_actions=[(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in fds.items()],
        setpgroup=0,
        setsigdef=_SIGNALS,
        setsigmask=(),
    )


def _met(pid: int) -> _Bwrap:
    try:
        return _Bwrap(pid, os.pidfd_open(pid))
    except ProcessLookupError:
        raise
    except OSError:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def _above(stack: ExitStack, descriptor: int) -> int:
    """The same number, if that overwrites no other descriptor."""
    if descriptor < _FREE:
        low = descriptor
        try:
            descriptor = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _FREE)
        finally:
            os.close(low)
    return _close_with(stack, descriptor)


def _close_with(stack: ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor
