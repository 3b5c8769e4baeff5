"""When the disk that a workspace takes is too much."""

import asyncio
import time
from pathlib import Path

from yudai.sandboxes.backends.workspace.disk_usage import usage

_SOONEST_S = 0.5
_INTERVAL_S = 2.0
_SHARE = 20


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
