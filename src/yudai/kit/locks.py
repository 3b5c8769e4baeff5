"""File locks, which the kernel releases when their process dies."""

import asyncio
import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_POLL_S = 0.05


def lock(path: Path) -> int:
    """Lock a file until the descriptor is closed; BlockingIOError if it is locked."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


async def wait_for_lock(path: Path, *, patience_s: float | None = None) -> int:
    """Poll for the lock, because there is no event; TimeoutError after `patience_s`."""
    async with asyncio.timeout(patience_s):
        while True:
            with suppress(BlockingIOError):
                return lock(path)
            await asyncio.sleep(_POLL_S)


def is_locked(path: Path) -> bool:
    """Whether the lock is held. Callers of this function do not block each other."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def locked(folder: Path, *, shared: bool = False) -> Generator[None]:
    """Hold a folder's lock for a short while."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
