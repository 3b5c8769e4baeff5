"""Starting a command's shell: as the agent, with its limits, and with nothing of ours."""

import os
import resource
import signal
from contextlib import suppress
from pathlib import Path

from yudai.sandboxes.backends.warden.give import ENV
from yudai.sandboxes.backends.warden.processes import control
from yudai.sandboxes.backends.warden.protocol import CANNOT_RUN, Request
from yudai.sandboxes.backends.warden.state import RESULTS, RUN, Agent

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
        # Else nobody but us could open /dev/stdout anew.
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
    # Its folder is closed: the agent has it from us, and may open /dev/stdin anew.
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
