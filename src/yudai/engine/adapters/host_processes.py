"""Which processes of this machine are dead, and which are alive; of others nothing is known."""

import os
import socket
from pathlib import Path

_PROC = Path("/proc")
# Not yet waited for by its parent, or on its way out.
_GONE = "X"
_DEAD = frozenset({"Z", _GONE, "x"})
# Ticks since the machine was booted.
_BEGAN = 19
# Between the clocks of this machine and of the database.
_SKEW_S = 60.0


def host_name() -> str:
    """Of where process numbers mean the same as here: containers may share a name, not that."""
    name = socket.gethostname()
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{name} {boot} {(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return name


def is_here(host: str) -> bool:
    """Whether that is this machine: since another boot, perhaps, or seen from a container."""
    theirs, ours = host.split(" "), host_name().split(" ")
    return theirs[0] == ours[0] or theirs[1:2] == ours[1:2] != []


def is_gone(host: str, pid: int) -> bool:
    """Whether there was such a process here and is no more; False when that cannot be known.

    A process that is there proves nothing, as its number may have been given again.
    """
    facts = _facts(host, pid)
    return facts is not None and facts[0] in _DEAD


def is_there(host: str, pid: int, since: float) -> bool:
    """Whether that process is here and was at that moment: suspended ones are, too.

    False when that cannot be known.
    """
    facts = _facts(host, pid)
    if facts is None or facts[0] in _DEAD:
        return False
    began = _booted_at() + int(facts[_BEGAN]) / os.sysconf("SC_CLK_TCK")
    return began <= since + _SKEW_S


def _facts(host: str, pid: int) -> list[str] | None:
    """What the kernel says of it, from its state on; None: nothing is known."""
    if host != host_name() or not (_PROC / str(os.getpid())).exists():
        return None
    try:
        status = (_PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return [_GONE]
    except OSError:
        return None
    # Behind the program's name, which may hold anything.
    return status.rpartition(")")[2].split()


def _booted_at() -> float:
    lines = (_PROC / "stat").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("btime ")))
