"""Turns of building a base: one at a time over all processes, and a dead one's turn ends."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import structlog

from yudai.kit.clock import Clock
from yudai.sandboxes import base_queries as bases
from yudai.sandboxes.base_queries import Builder
from yudai.sandboxes.holding import Living
from yudai.sandboxes.queries import Holder
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

POLL_S = 0.2
BEAT_S = 10.0
_LEAVE_S = 2.0
"""How long a database that is away may hold us up when a turn is over."""

BaseKey = tuple[str, str]
"""Of a backend, and in it."""


def _no_locks() -> WeakValueDictionary[BaseKey, asyncio.Lock]:
    return WeakValueDictionary()


@dataclass(frozen=True)
class Turns:
    store: Store
    clock: Clock
    holder: Holder
    living: Living
    beat_s: float = BEAT_S
    _locks: WeakValueDictionary[BaseKey, asyncio.Lock] = field(default_factory=_no_locks)
    _over: set[str] = field(default_factory=set[str])
    """Turns of ours that have ended, whatever the database says about them."""
    _ending: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @asynccontextmanager
    async def taken(self, base: BaseKey) -> AsyncGenerator[str]:
        """Wait for the turn, and have it for the time of the block, unless we are silent long."""
        lock = self._locks.setdefault(base, asyncio.Lock())
        turn = self.holder._replace(id=self.clock.token())
        async with lock:
            try:
                await self._take(base, turn)
                async with self._beating(base, turn):
                    yield turn.id
            finally:
                await self._end(base, turn)

    async def _take(self, base: BaseKey, turn: Holder) -> None:
        while True:
            async with self.store.read() as db:
                seen = await bases.builder(db, *base, now=self.clock.now())
            if seen is None or self._is_over(seen):
                async with self.store.database.transaction() as db:
                    now = self.clock.now()
                    if await bases.take_turn(db, base, turn, now=now, instead_of=seen):
                        return
            await asyncio.sleep(POLL_S)

    def _is_over(self, seen: Builder) -> bool:
        if seen.holder.id in self._over:
            return True
        return not self.living(seen.holder, seen.silent_s, seen.beat_at)

    @asynccontextmanager
    async def _beating(self, base: BaseKey, turn: Holder) -> AsyncGenerator[None]:
        task = asyncio.create_task(self._beat_for_ever(base, turn), name="base-turn")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _beat_for_ever(self, base: BaseKey, turn: Holder) -> None:
        is_ours = True
        while is_ours:
            await asyncio.sleep(self.beat_s)
            try:
                async with self.store.database.transaction() as db:
                    is_ours = await bases.beat_turn(db, base, turn, now=self.clock.now())
            except Exception as error:  # noqa: BLE001 - a database that is away for a moment
                log.warning("base.turn_not_renewed", base=base, error=repr(error))
        log.warning("base.turn_lost", base=base)

    async def _end(self, base: BaseKey, turn: Holder) -> None:
        """Also when our caller is cancelled once more."""
        self._over.add(turn.id)
        task = asyncio.create_task(self._let_go(base, turn), name="base-turn-end")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        await asyncio.wait([task], timeout=_LEAVE_S)

    async def _let_go(self, base: BaseKey, turn: Holder) -> None:
        """Others of this machine see us alive, and would wait for as long as we are."""
        while turn.id in self._over:
            try:
                async with self.store.database.transaction() as db:
                    await bases.end_turn(db, base, turn)
                self._over.discard(turn.id)
            except Exception as error:  # noqa: BLE001 - a database that is away for a while
                log.warning("base.turn_not_ended", base=base, error=repr(error))
                await asyncio.sleep(self.beat_s)
