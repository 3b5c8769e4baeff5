"""How much disk a workspace takes, and when that is too much."""

import asyncio
import errno
import os
import sys
import time
from pathlib import Path

_BLOCK = 512
_LEAST = 4096
_FIRST_CHECK_S = 0.5
_INTERVAL_S = 2.0
_SHARE = 20


def usage(root: Path) -> int:
    """Bytes allocated below a folder, without following a link.

    What is nested deeper than a path can name cannot be counted: it counts as endless.
    """
    total, folders = 0, [str(root)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    total += max(entry.stat(follow_symlinks=False).st_blocks * _BLOCK, _LEAST)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return sys.maxsize
    return total


class DiskWatch:
    """Measures now and then: often enough to stop a writer, seldom enough to cost nothing."""

    def __init__(self, root: Path, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._used = 0
        self._due = time.monotonic() + _INTERVAL_S

    async def until_full(self) -> None:
        """Return once the limit is passed; cancelled when the command ends before."""
        await asyncio.sleep(_FIRST_CHECK_S)
        while not await self._grew_too_big():  # noqa: ASYNC110 - nothing tells of a file that grows
            await asyncio.sleep(max(self._due - time.monotonic(), _FIRST_CHECK_S))

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
        used = usage(self._root)
        ended = time.monotonic()
        self._due = ended + max(_INTERVAL_S, _SHARE * (ended - began))
        return used
