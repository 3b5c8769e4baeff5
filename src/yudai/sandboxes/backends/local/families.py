"""Finding and killing what a plain process has started, as far as the host's /proc tells."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.local.processes import Process, look, pids

_KERNEL = 2


class Mark(NamedTuple):
    """How to know what a command has started: its session, and its environment."""

    session: int
    variable: bytes
    since: int
    """When its shell started, in clock ticks since boot."""


class Sight(NamedTuple):
    killed: int
    unsure: int
    """Young processes that have just ended, or have no environment: they may have had a child
    behind our back, or be becoming another program."""


def kill_family(mark: Mark) -> Sight:
    """Kill a session's members, those with the variable, and all who descend from them."""
    seen = {pid: look(pid) for pid in pids()}
    alive = [p for p in seen.values() if p is not None and p.state not in "ZX"]
    found = {p.pid for p in alive if p.session == mark.session}
    unsure = sum(pid > mark.session and (p is None or p.state in "ZX") for pid, p in seen.items())
    for process in alive:
        if process.started >= mark.since and process.pid not in found:
            variables = _environment(process)
            unsure += variables == []
            if mark.variable in variables:
                found.add(process.pid)
    while more := {p.pid for p in alive if p.parent in found} - found:
        found |= more
    # The shell first, or it would have a word to say about the others.
    for pid in sorted(found - {os.getpid()}, key=lambda pid: pid != mark.session):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return Sight(len(found), unsure)


def _environment(process: Process) -> list[bytes]:
    if process.parent == _KERNEL:
        return [b""]
    try:
        text = (Path("/proc") / str(process.pid) / "environ").read_bytes()
    except OSError:
        return [b""]
    return text.split(b"\0") if text else []
