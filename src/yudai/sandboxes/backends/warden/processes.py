"""All processes that a command started, found by descent and by user, and killed to the last."""

import ctypes
import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.warden.state import Agent

_PATIENCE_S = 20.0
_PAUSES_S = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02)
_HELP_S = 0.2
_SUBREAPER = 36
_MOST_LOOKS = 1000


class _Process(NamedTuple):
    pid: int
    parent: int
    uids: frozenset[int]


class ProcessTree:
    """The processes of one supervisor, which is the parent of all orphans below it."""

    def __init__(self, agent: Agent) -> None:
        self._uid = agent.uid if agent.separate else None
        self._child = 0
        self.status: int | None = None
        """How the shell has ended."""
        self.shot = False
        """Whether any reaped child was killed by SIGKILL."""

    def adopt_orphans(self) -> None:
        """Become the parent of orphans: no process escapes by a double fork."""
        control(_SUBREAPER, 1)

    def watch(self, child: int) -> None:
        self._child = child

    def reap_children(self) -> None:
        with suppress(ChildProcessError):
            while (dead := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = dead
                self.shot |= os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
                if pid == self._child:
                    self.status = os.waitstatus_to_exitcode(status)

    def kill_all(self) -> bool:
        """Kill until no process is left; False when one cannot be killed."""
        ends, rounds = time.monotonic() + _PATIENCE_S, 0
        while members := self._members():
            if time.monotonic() > ends:
                return False
            for pid in members:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if rounds >= len(_PAUSES_S) - 1 and self._uid is not None:
                # Who forks faster than we look is stopped by the kernel in one sweep.
                _sweep(self._uid)
            time.sleep(_PAUSES_S[min(rounds, len(_PAUSES_S) - 1)])
            self.reap_children()
            rounds += 1
        return True

    def _members(self) -> list[int]:
        """No process is left only if none was started while we listed them.

        A process that forked after the listing and ended before we read it would hide its child.
        """
        for _ in range(_MOST_LOOKS):
            listed = _pids()
            if members := self._among(listed):
                return members
            if _pids() <= listed:
                break
        return []

    def _among(self, listed: Iterable[int]) -> list[int]:
        alive = {process.pid: process for process in _alive(listed)}
        found = {p.pid for p in alive.values() if self._uid in p.uids}
        family = {os.getpid()}
        while more := {p.pid for p in alive.values() if p.parent in family} - family:
            family |= more
        return sorted((found | family) - {os.getpid()})


def control(option: int, value: int) -> None:
    """Ask the kernel for something about this process; where it cannot, we do without."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _pids() -> set[int]:
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208 - names are enough


def _alive(listed: Iterable[int]) -> Iterator[_Process]:
    for pid in listed:
        try:
            lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
        except OSError:
            continue
        fields = dict(line.split(b":\t", 1) for line in lines if b":\t" in line)
        if fields[b"State"][:1] not in b"ZX":
            uids = frozenset(map(int, fields[b"Uid"].split()))
            yield _Process(pid, int(fields[b"PPid"]), uids)


def _sweep(uid: int) -> None:
    helper = os.fork()
    if not helper:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    # It is one of them for a moment, and may be stopped by them.
    ends = time.monotonic() + _HELP_S
    while os.waitpid(helper, os.WNOHANG)[0] == 0:
        if time.monotonic() > ends:
            os.kill(helper, signal.SIGKILL)
        time.sleep(0.001)
