"""Processes as the host's /proc shows them."""

import asyncio
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess


_PROC = Path("/proc")
_PATIENCE_S = 10.0


class Process(NamedTuple):
    pid: int
    state: str
    parent: int
    session: int
    started: int
    """In clock ticks since boot: tells a reused pid from the first one."""


def look(pid: int) -> Process | None:
    """One process, if there is one of that number."""
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
    """Kill processes, children of ours or not, and wait a while until they are gone."""
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
    return [pid for pid in pids() if below in _mounts(pid) or _is_told(pid, below)]


def _is_told(pid: int, part: bytes) -> bool:
    is_bubblewrap = program(pid).startswith("bwrap")
    return is_bubblewrap and any(part in word for word in _strings(pid, "cmdline"))


def _mounts(pid: int) -> bytes:
    with suppress(OSError):
        return (_PROC / str(pid) / "mountinfo").read_bytes()
    return b""


def with_variable(prefix: bytes) -> list[int]:
    """Processes that have a variable which starts so."""
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
    """How to know what a command has started: its session, and its environment."""

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
    # The shell first, or it would have a word to say about the others.
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
