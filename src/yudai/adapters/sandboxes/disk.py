"""How much disk a workspace takes, and when that is too much."""

import asyncio
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_BLOCK = 512
_LEAST = 4096
_FAR = 2048
_MAX_STARTS = 100
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SOONEST_S = 0.5
_INTERVAL_S = 2.0
_SHARE = 20


def usage(root: Path) -> int:
    """Bytes allocated below a folder, without following a link, at any depth.

    Others may be at work in it: what goes away meanwhile does not count.
    """
    total = 0
    # Folders that are still to be seen, by names from one that is open: no path grows too long.
    starts = [(os.open(root, _FOLDER), ["."])]
    try:
        while starts:
            start, waiting = starts[-1]
            if not waiting:
                os.close(starts.pop()[0])
            elif len(starts) > _MAX_STARTS:
                return sys.maxsize
            elif (found := _look(start, waiting.pop())) is not None:
                total += found.size
                if found.far:
                    starts.append((found.descriptor, found.folders))
                else:
                    waiting += found.folders
                    os.close(found.descriptor)
    finally:
        for start, _ in starts:
            os.close(start)
    return total


class _Found(NamedTuple):
    size: int
    folders: list[str]
    far: bool
    """So deep that names of its folders are counted from it."""
    descriptor: int


def _look(start: int, path: str) -> _Found | None:
    """What one folder holds; None when it may not be read."""
    try:
        descriptor = os.open(path, _FOLDER, dir_fd=start)
    except OSError:
        return None
    far, size, folders = len(path) > _FAR, 0, list[str]()
    with os.scandir(descriptor) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                size += max(entry.stat(follow_symlinks=False).st_blocks * _BLOCK, _LEAST)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name if far else f"{path}/{entry.name}")
    return _Found(size, folders, far, descriptor)


class DiskWatch:
    """Measures now and then: often enough to stop a writer, seldom enough to cost nothing."""

    def __init__(self, root: Path, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._used = 0
        self._due = time.monotonic() + _INTERVAL_S

    async def until_full(self) -> None:
        """Return once the limit is passed; cancelled when the command ends before."""
        while not await self._grew_too_big():  # noqa: ASYNC110 - nothing tells of a file that grows
            await asyncio.sleep(max(self._due - time.monotonic(), _SOONEST_S))

    async def is_full(self) -> bool:
        """Look after a command, if the last look is not fresh."""
        return time.monotonic() >= self._due and await self._grew_too_big()

    async def _grew_too_big(self) -> bool:
        """One that is too big already may be made smaller, but not grow on."""
        allowed = max(self._limit, self._used)
        self._used = await asyncio.to_thread(self._measure)
        return self._used > allowed

    def _measure(self) -> int:
        began = time.monotonic()
        used = usage(self._root) if self._root.exists() else 0
        ended = time.monotonic()
        self._due = ended + max(_INTERVAL_S, _SHARE * (ended - began))
        return used
