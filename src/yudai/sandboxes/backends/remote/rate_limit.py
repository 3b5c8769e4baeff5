"""Limits machines at once and new ones per second, as the provider's plan allows."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from yudai.kit.retry import growing
from yudai.sandboxes.backends.remote.cloud import BusyError, DeniedError

T = TypeVar("T")

_LONGEST_PAUSE_S = 30.0


class MachineRateLimit:
    """One for all machines of an account in this process."""

    def __init__(
        self,
        *,
        at_once: int,
        per_second: float = float("inf"),
        patience_s: float = 600.0,
        pause_s: float = 1.0,
    ) -> None:
        """`pause_s` is the first pause after a provider reports that it is busy."""
        self._at_once = at_once
        self._free = asyncio.Semaphore(at_once)
        self._entrance = asyncio.Lock()
        self._interval_s = 1.0 / per_second
        self._patience_s = patience_s
        self._pause_s = pause_s
        self._next = 0.0

    async def enter(self, n: int = 1) -> None:
        """Wait for that many places; `leave` releases one."""
        if n > self._at_once:
            raise DeniedError(f"{n} sandboxes at once are more than the {self._at_once} allowed")
        taken = 0
        # Two callers that each hold a part of what they need would wait forever.
        async with self._entrance:
            try:
                while taken < n:
                    await self._free.acquire()
                    taken += 1
            except BaseException:
                self.leave(taken)
                raise

    def leave(self, n: int = 1) -> None:
        for _ in range(n):
            self._free.release()

    async def make(self, make: Callable[[], Awaitable[T]]) -> T:
        """Call it in turn; again and again while the provider says that it is busy.

        Nothing was made when it says so. Its last word is raised when patience ends.
        """
        gives_up = time.monotonic() + self._patience_s
        pauses_s = growing(self._pause_s, longest_s=_LONGEST_PAUSE_S)
        while True:
            await self._turn()
            try:
                return await make()
            except BusyError as error:
                # "At once" from a busy provider would make us one of those that keep it busy.
                wait_s = max(next(pauses_s), error.retry_after_s or 0.0)
                if time.monotonic() + wait_s > gives_up:
                    raise
                await asyncio.sleep(wait_s)

    async def _turn(self) -> None:
        """Each caller reserves the next free time and waits for it."""
        now = time.monotonic()
        mine = max(now, self._next)
        self._next = mine + self._interval_s
        if mine > now:
            await asyncio.sleep(mine - now)
