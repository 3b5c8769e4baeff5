"""Checks whether a process of this machine is alive. Says nothing about other machines."""

import os
import socket
from pathlib import Path

_PROC = Path("/proc")
# Zombies, and processes that are exiting.
_GONE = "X"
_DEAD = frozenset({"Z", _GONE, "x"})
# Field of the start time, in ticks since boot.
_BEGAN = 19
# Allowed difference between the clocks of this machine and of the database.
_SKEW_S = 60.0


def host_name() -> str:
    """Names the PID namespace of this process: containers may share a host name, but not this."""
    name = socket.gethostname()
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{name} {boot} {(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return name


def is_here(host: str) -> bool:
    """Whether it names this machine, maybe before a reboot or from another container."""
    theirs, ours = host.split(" "), host_name().split(" ")
    return theirs[0] == ours[0] or theirs[1:2] == ours[1:2] != []


def is_gone(host: str, pid: int) -> bool:
    """Whether there was such a process here and is no more; False when that cannot be known.

    A process that is there proves nothing, as its number may have been given again.
    """
    facts = _facts(host, pid)
    return facts is not None and facts[0] in _DEAD


def is_there(host: str, pid: int, since: float) -> bool:
    """Whether that process is alive, or suspended, and existed at that moment.

    False when that cannot be known.
    """
    facts = _facts(host, pid)
    if facts is None or facts[0] in _DEAD:
        return False
    began = _booted_at() + int(facts[_BEGAN]) / os.sysconf("SC_CLK_TCK")
    return began <= since + _SKEW_S


def _facts(host: str, pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat from the state on; None when nothing is known."""
    if host != host_name() or not (_PROC / str(os.getpid())).exists():
        return None
    try:
        status = (_PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return [_GONE]
    except OSError:
        return None
    # After the program's name, which may contain anything.
    return status.rpartition(")")[2].split()


def _booted_at() -> float:
    lines = (_PROC / "stat").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("btime ")))
