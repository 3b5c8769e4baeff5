"""Processes as the host's /proc shows them, and locks that show whether their holder is alive.

The kernel releases a lock when its process dies. A program that is being started holds its parent's
lock for a moment after the parent was killed.
"""

import asyncio
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from pydantic import ValidationError

from yudai.kit.locks import is_locked, lock, wait_for_lock
from yudai.kit.value import Value

_PROC = Path("/proc")
_PATIENCE_S = 10.0
_DEAD_STATES = frozenset("ZXx")
_LOCK_PATIENCE_S = 0.5
"""A program that a dead process started can be found and ended only under its own name."""
_POLL_S = 0.005


class Process(NamedTuple):
    pid: int
    state: str
    parent: int
    session: int
    started: int
    """In clock ticks since boot: tells a reused pid from the first one."""


def look(pid: int) -> Process | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name in parentheses may itself hold spaces and parentheses.
    fields = text.rpartition(")")[2].split()
    return Process(pid, fields[0], int(fields[1]), int(fields[3]), int(fields[19]))


def pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def parent(pid: int) -> int | None:
    process = look(pid)
    return process.parent if process else None


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(p) for p in (_PROC / f"{pid}/task/{pid}/children").read_text().split()]
    return [child for child in pids() if parent(child) == pid]


def own_namespace(kind: str) -> str:
    return str((_PROC / "self/ns" / kind).readlink())


async def kill_and_wait(doomed: Iterable[int]) -> None:
    """Kill processes, our children or not, and wait briefly until they are gone."""
    for pid in doomed:
        with suppress(ProcessLookupError, PermissionError, TimeoutError):
            descriptor = os.pidfd_open(pid)
            try:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                await asyncio.wait_for(readable(descriptor), _PATIENCE_S)
            finally:
                os.close(descriptor)


def program(pid: int) -> str:
    """The file name of what a process runs."""
    with suppress(OSError):
        return (_PROC / str(pid) / "exe").readlink().name
    return ""


def with_word(word: str) -> list[int]:
    """Processes that have this word in their command line."""
    return [pid for pid in pids() if os.fsencode(word) in _strings(pid, "cmdline")]


def seeing(folder: Path) -> list[int]:
    """Sandboxes that show something below it, also those whose bubblewrap is gone.

    Its last two names are looked for: mounts tell a path only from their file system on.
    """
    below = os.fsencode(f"/{folder.parent.name}/{folder.name}/")
    return [pid for pid in pids() if below in _mounts(pid) or _has_argument(pid, below)]


def _has_argument(pid: int, part: bytes) -> bool:
    is_bubblewrap = program(pid).startswith("bwrap")
    return is_bubblewrap and any(part in word for word in _strings(pid, "cmdline"))


def _mounts(pid: int) -> bytes:
    with suppress(OSError):
        return (_PROC / str(pid) / "mountinfo").read_bytes()
    return b""


def with_variable(prefix: bytes) -> list[int]:
    """Processes with a variable that has this prefix."""
    return [p for p in pids() if any(s.startswith(prefix) for s in _strings(p, "environ"))]


def _strings(pid: int, file: str) -> list[bytes]:
    try:
        return (_PROC / str(pid) / file).read_bytes().split(b"\0")
    except OSError:
        return []


async def exited(process: "subprocess.Popen[bytes]") -> None:
    """Wait for a child's end without taking its status."""
    descriptor = os.pidfd_open(process.pid)
    try:
        await readable(descriptor)
    finally:
        os.close(descriptor)


async def readable(descriptor: int) -> None:
    """Wait until a descriptor can be read; of a process's descriptor: until it has ended."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(descriptor, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


_KERNEL = 2


class Mark(NamedTuple):
    """Identifies the processes of a command: by session and environment."""

    session: int
    variable: bytes
    since: int
    """When its shell started, in clock ticks since boot."""


class KillResult(NamedTuple):
    killed: int
    unsure: int
    """Young processes that have just ended, or have no environment: they may have had a child
    behind our back, or be becoming another program."""


def kill_descendants(mark: Mark) -> KillResult:
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
    # The shell first: it would print a line about each other process that is killed.
    for pid in sorted(found - {os.getpid()}, key=lambda pid: pid != mark.session):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return KillResult(len(found), unsure)


def _environment(process: Process) -> list[bytes]:
    if process.parent == _KERNEL:
        return [b""]
    try:
        text = (Path("/proc") / str(process.pid) / "environ").read_bytes()
    except OSError:
        return [b""]
    return text.split(b"\0") if text else []


class Holder(Value):
    """A process, identified across machines and restarts."""

    place: str
    """The PID namespace in which its number is valid."""
    pid: int
    started: int


def take(path: Path) -> int:
    """Make the file, hold its lock as this process; it is held until that is closed."""
    descriptor = lock(path)
    holder = _ourselves()
    if holder is not None:
        os.write(descriptor, holder.model_dump_json().encode())
    return descriptor


def is_held(path: Path) -> bool:
    """Whether the process that took it is alive; where that is unknown, whether it is locked."""
    ends = time.monotonic() + _LOCK_PATIENCE_S
    while _is_locked(path):
        if not _is_gone(path):
            return True
        if time.monotonic() >= ends:
            return False
        time.sleep(_POLL_S)
    return False


def _is_locked(path: Path) -> bool:
    with suppress(FileNotFoundError, NotADirectoryError):
        return is_locked(path)
    return False


def _is_gone(path: Path) -> bool:
    """Whether exactly that process is known to be dead."""
    try:
        holder = Holder.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return False
    if holder.place != _place():
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    # Some hosts hide the processes of other users.
    process = look(holder.pid)
    return process is not None and (
        process.state in _DEAD_STATES or process.started != holder.started
    )


def _ourselves() -> Holder | None:
    place, process = _place(), look(os.getpid())
    if not place or process is None:
        return None
    return Holder(place=place, pid=process.pid, started=process.started)


def _place() -> str:
    """The boot of the machine, and the numbers that processes have here; "" when unknown."""
    with suppress(OSError):
        if (_PROC / "self").readlink() == Path(str(os.getpid())):
            boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
            return f"{boot} {own_namespace('pid')}"
    return ""


@asynccontextmanager
async def hold(path: Path, *, patience_s: float | None = None) -> AsyncGenerator[None]:
    """Wait for it, and hold it; TimeoutError when patience ends before."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    async with asyncio.timeout(patience_s):
        while not _is_there(path, held := await wait_for_lock(path)):
            os.close(held)
    try:
        yield
    finally:
        _unlock(path, held)


def _unlock(path: Path, held: int) -> None:
    path.unlink(missing_ok=True)
    os.close(held)


def _is_there(path: Path, held: int) -> bool:
    """False for a file that its last holder has just removed."""
    with suppress(FileNotFoundError):
        return path.stat().st_ino == os.fstat(held).st_ino
    return False
