"""Locks by name, across tasks, loops and processes: a file each, gone when nobody holds it."""

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

_POLL_S = 0.05


@asynccontextmanager
async def hold(path: Path, *, patience_s: float | None = None) -> AsyncGenerator[None]:
    """Wait for it, and hold it; TimeoutError when patience ends before."""
    async with asyncio.timeout(patience_s):
        while (lock := _try_lock(path)) is None:  # noqa: ASYNC110 - nothing tells when one is free
            await asyncio.sleep(_POLL_S)
    try:
        yield
    finally:
        _unlock(path, lock)


def _unlock(path: Path, lock: int) -> None:
    path.unlink(missing_ok=True)
    os.close(lock)


def _try_lock(path: Path) -> int | None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.exists() and path.stat().st_ino == os.fstat(lock).st_ino:
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
