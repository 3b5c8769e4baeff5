"""Supervises one command from its start until all processes that it started are dead.

It is a separate process, because the requesting one may go away meanwhile.
"""

import errno
import os
import resource
import select
import signal
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from yudai.sandboxes.backends.warden import state
from yudai.sandboxes.backends.warden.give import ENV
from yudai.sandboxes.backends.warden.limits import DiskWatch, OomCounter
from yudai.sandboxes.backends.warden.processes import ProcessTree, control
from yudai.sandboxes.backends.warden.protocol import (
    CANNOT_RUN,
    FULL,
    FULL_TEXT,
    KILLED,
    TIMED_OUT,
    Ending,
    Request,
)
from yudai.sandboxes.backends.warden.state import RESULTS, RUN, Agent
from yudai.sandboxes.backends.workspace.output import Capture

_NO_NEW_PRIVILEGES = 38
_LIKELY_VICTIM = "500"
_UNLIKELY_VICTIM = "-1000"


def launch(request: Request, agent: Agent, output: int) -> int:
    """The new process's number; its output goes to that pipe."""
    script = RUN / "script"
    script.unlink(missing_ok=True)
    script.write_bytes(request.script)
    script.chmod(0o600 if request.as_root else 0o644)
    stdin = _stdin(request)
    if not request.as_root:
        # Otherwise only root could reopen /dev/stdout.
        os.fchown(output, agent.uid, agent.gid)
    pid = os.fork()
    if not pid:
        try:
            _become(request, agent, stdin, output)
            os.execve(agent.shell, [agent.shell, str(script)], _environment(request))  # noqa: S606 - its purpose
        except BaseException as error:  # noqa: BLE001 - told to whoever reads, then this process ends
            os.write(2, f"yudai: the command cannot be started: {error}\n".encode())
        finally:
            os._exit(CANNOT_RUN)
    os.close(stdin)
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text(_LIKELY_VICTIM)
        Path("/proc/self/oom_score_adj").write_text(_UNLIKELY_VICTIM)
    return pid


def clear(request: Request) -> None:
    (RUN / "script").unlink(missing_ok=True)
    _input(request).unlink(missing_ok=True)


def _environment(request: Request) -> dict[str, str]:
    """Without names of an environment that the base does not have."""
    words = dict(request.variables)
    if not Path(ENV).is_dir():
        words = {name: value for name, value in words.items() if value != ENV}
    elif not os.access(f"{ENV}/bin/python", os.X_OK):
        words.pop("VIRTUAL_ENV", None)
    return words


def _input(request: Request) -> Path:
    return RESULTS / f"{request.id}.in"


def _stdin(request: Request) -> int:
    if not request.stdin:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    file = _input(request)
    file.write_bytes(request.stdin)
    # Its folder is closed: the agent gets the file from us, and may reopen /dev/stdin.
    file.chmod(0o444)
    return os.open(file, os.O_RDONLY | os.O_CLOEXEC)


def _become(request: Request, agent: Agent, stdin: int, output: int) -> None:
    os.setsid()
    os.dup2(stdin, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    os.chdir("/")
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, request.file_bytes)
    if request.as_root:
        return
    if agent.separate:
        os.setgroups([])
        os.setresgid(agent.gid, agent.gid, agent.gid)
        os.setresuid(agent.uid, agent.uid, agent.uid)
        # Only now: before, those of the machine's other users would be counted as its own.
        _limit(resource.RLIMIT_NPROC, request.processes)
    control(_NO_NEW_PRIVILEGES, 1)


def _limit(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (value, value))


_CHUNK = 1 << 18
_DEAF_TO = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGPIPE)
_STUCK = "a command could not be stopped"


def start(request: Request, lock: int) -> None:
    """Returns at once; the new process has the turn until it ends."""
    if os.fork():
        return
    try:
        _detach(lock)
        state.begin(request.id)
        ending, output = _attempt(request)
        state.finish(request.id, ending, output)
    finally:
        os._exit(0)


def _attempt(request: Request) -> tuple[Ending, bytes]:
    try:
        return _Supervisor(request).run()
    except Exception as error:  # noqa: BLE001 - told to whoever asks, then this process ends
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return FULL, FULL_TEXT
        return Ending(lost=f"the warden failed: {error!r}"), b""


def _detach(lock: int) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.closerange(3, lock)
    os.closerange(lock + 1, 1024)
    for number in _DEAF_TO:
        # Not ignored, which commands would inherit.
        signal.signal(number, _do_nothing)


def _do_nothing(_signal: int, _frame: FrameType | None) -> None:
    """Just wake up."""


class _Supervisor:
    def __init__(self, request: Request) -> None:
        self._request = request
        self._agent = state.Agent.load()
        self._processes = ProcessTree(self._agent)
        self._disk = DiskWatch(request.disk_folders, request.disk_bytes)
        self._capture = Capture(request.max_output)
        self._poll = select.poll()
        self._killed = False
        self._timed_out = False

    def run(self) -> tuple[Ending, bytes]:
        began, oom = time.monotonic(), OomCounter()
        self._processes.adopt_orphans()
        self._processes.kill_all()
        self._waker = self._listen_to_children()
        self._bell = self._hang_bell()
        if state.is_forbidden(self._request.id):
            return Ending(killed=True), b""
        self._output, theirs = os.pipe()
        os.set_blocking(self._output, False)
        self._poll.register(self._output, select.POLLIN)
        self._processes.watch(launch(self._request, self._agent, theirs))
        os.close(theirs)
        self._wait(began + self._request.timeout_s)
        shot = self._processes.shot or self._processes.status == KILLED
        self._disk.stop()
        is_dead = self._processes.kill_all()
        self._disk.close()
        self._processes.reap_children()
        while self._drain():
            pass
        clear(self._request)
        output, truncated = self._capture.result()
        ending = Ending(
            exit_code=self._exit_code(),
            truncated=truncated,
            timed_out=self._timed_out,
            oom=oom.rang(shot=shot),
            disk_full=self._disk.is_full,
            killed=self._killed,
            duration_s=time.monotonic() - began,
            lost="" if is_dead else _STUCK,
        )
        return ending, output

    def _exit_code(self) -> int:
        if self._timed_out:
            return TIMED_OUT
        code = self._processes.status
        if code is None:
            return KILLED
        return code if code >= 0 else 128 - code

    def _wait(self, deadline: float) -> None:
        """Until the shell ends, or has to be ended."""
        while self._processes.status is None and not self._killed and not self._disk.is_full:
            left = deadline - time.monotonic()
            if left <= 0:
                self._timed_out = True
                return
            self._disk.look()
            if self._disk.descriptor >= 0:
                self._poll.register(self._disk.descriptor, select.POLLIN)
            for descriptor, _ in self._poll.poll(1000 * min(left, self._disk.pause()) + 1):
                self._hear(descriptor)

    def _hear(self, descriptor: int) -> None:
        if descriptor == self._output:
            self._drain()
        elif descriptor == self._waker:
            with suppress(BlockingIOError):
                os.read(self._waker, 4096)
            self._processes.reap_children()
        elif descriptor == self._bell:
            self._killed = True
        else:
            self._poll.unregister(descriptor)
            self._disk.hear()

    def _drain(self) -> bool:
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        self._capture.feed(data)
        if not data:
            # All have closed it, and yet the shell may run on.
            with suppress(KeyError):
                self._poll.unregister(self._output)
        return bool(data)

    def _listen_to_children(self) -> int:
        waker, wake = os.pipe()
        os.set_blocking(waker, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, _do_nothing)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._poll.register(waker, select.POLLIN)
        return waker

    def _hang_bell(self) -> int:
        path = state.bell(self._request.id)
        path.unlink(missing_ok=True)
        os.mkfifo(path, 0o600)
        # Also for writing: else it would ring whenever a writer hangs up.
        bell = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll.register(bell, select.POLLIN)
        return bell
