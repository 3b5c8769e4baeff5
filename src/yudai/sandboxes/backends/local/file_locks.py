"""Locks that show whether a process is alive: the kernel releases them, and each names its holder.

A program that is being started holds its parent's lock for a moment after the parent was killed.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from yudai.kit.locks import is_locked, lock
from yudai.kit.value import Value
from yudai.sandboxes.backends.local.processes import look, own_namespace

_PROC = Path("/proc")
_DEAD = frozenset("ZXx")
_PATIENCE_S = 0.5
"""Started by the dead, a program can only be found, and ended, when it has its own name."""
_POLL_S = 0.005


class Holder(Value):
    """A process, identified across machines and restarts."""

    place: str
    """Where its number means the same as to itself."""
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
    ends = time.monotonic() + _PATIENCE_S
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
    """Whether that very process is known to be no more."""
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
    return process is not None and (process.state in _DEAD or process.started != holder.started)


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


_WAIT_POLL_S = 0.05


@asynccontextmanager
async def hold(path: Path, *, patience_s: float | None = None) -> AsyncGenerator[None]:
    """Wait for it, and hold it; TimeoutError when patience ends before."""
    async with asyncio.timeout(patience_s):
        while (held := _try_lock(path)) is None:  # noqa: ASYNC110 - nothing tells when one is free
            await asyncio.sleep(_WAIT_POLL_S)
    try:
        yield
    finally:
        _unlock(path, held)


def _unlock(path: Path, held: int) -> None:
    path.unlink(missing_ok=True)
    os.close(held)


def _try_lock(path: Path) -> int | None:
    """None also for a file that its last holder has just removed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(BlockingIOError):
        descriptor = lock(path)
        is_ours = False
        try:
            with suppress(FileNotFoundError):
                is_ours = path.stat().st_ino == os.fstat(descriptor).st_ino
        finally:
            if not is_ours:
                os.close(descriptor)
        return descriptor if is_ours else None
    return None
