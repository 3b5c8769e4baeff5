"""Places of an account over all processes that share a register: a row is open in each."""

import asyncio
from collections.abc import Sequence

import structlog

from yudai.sandboxes.backends.remote.cloud import BusyError
from yudai.sandboxes.register import BoxEntry, Register

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
_FULL = "all {} sandboxes that this installation may have at once are in use"


class Admission:
    def __init__(
        self, register: Register, *, at_most: int | None = None, waits: bool = True
    ) -> None:
        """`at_most` None: there is no limit; not `waits`: BusyError where others would wait."""
        self._register = register
        self._at_most = at_most
        self._waits = waits
        self._door = asyncio.Lock()

    async def open(self, entries: Sequence[BoxEntry]) -> None:
        """Open their rows, all at once, when there is room; as long as that takes."""
        # One of us asks at a time: who came first, and wants several, is not overtaken here.
        async with self._door:
            pause_s = _FIRST_PAUSE_S
            while not await self._register.open_boxes(entries, at_most=self._at_most):
                if not self._waits:
                    raise BusyError(_FULL.format(self._at_most))
                log.info("sandboxes.full", at_most=self._at_most, n=len(entries))
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
