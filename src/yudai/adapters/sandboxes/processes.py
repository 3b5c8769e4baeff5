"""Processes as the host's /proc shows them."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

_PROC = Path("/proc")


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
