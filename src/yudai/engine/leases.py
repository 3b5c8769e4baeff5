"""The lease that allows this process to run flows, and the takeover from dead workers."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Self

import structlog

from yudai.engine import queries as workers
from yudai.engine.queries import DEAD_S
from yudai.kit.clock import Clock
from yudai.kit.concurrency import repeat
from yudai.kit.ids import WorkerId
from yudai.kit.value import Value
from yudai.store.holders import Holder, IsGone, IsThere, Seen, never_known, never_seen
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

RECONCILE_EVERY = 10
"""Every so many checks of the peers, the engine's executors are checked, too."""


class LeaseTimings(Value):
    """Seconds. A worker that cannot renew its lease stops before another one takes over."""

    beat_s: float = 2.0
    lost_s: float = 8.0
    dead_s: float = DEAD_S
    leave_s: float = 2.0
    """How long an unavailable database may delay leaving."""


class Lease:
    """A worker's lease, renewed by a background task. A lost lease cannot be used again."""

    def __init__(
        self, store: Store, clock: Clock, holder: Holder, *, timings: LeaseTimings | None = None
    ) -> None:
        self.id = holder.id
        self.lost = asyncio.Event()
        """Set when it was not renewed in time, or another worker took over: stop all work."""
        self._store = store
        self._clock = clock
        self._holder = holder
        self._timings = timings or LeaseTimings()
        self._beating: asyncio.Task[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        began = asyncio.get_running_loop().time()
        async with self._store.database.transaction() as db:
            await workers.enrol(db, self._holder, now=self._clock.now())
        self._renewed(began)
        self._beating = asyncio.create_task(self._beat_for_ever(), name="lease")
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the lease, so that another worker can take over at once."""
        self._silence()
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating], timeout=self._timings.leave_s)
        await self._try_for_a_while(self._end())

    async def _end(self) -> None:
        async with self._store.database.transaction() as db:
            if self._holder.durable:
                await workers.stop(db, self._holder)
            else:
                await workers.remove(db, self.id)

    async def _try_for_a_while(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        await asyncio.wait([task], timeout=self._timings.leave_s)
        if not task.done():
            task.cancel()
        elif not task.cancelled() and (error := task.exception()):
            log.warning("lease.not_ended", worker_id=self.id, error=repr(error))

    async def _beat_for_ever(self) -> None:
        loop = asyncio.get_running_loop()
        while not self.lost.is_set():
            began = loop.time()
            try:
                await self._beat(began)
            except Exception as error:  # noqa: BLE001 - the alarm decides how long that may last
                log.warning("lease.not_renewed", worker_id=self.id, error=repr(error))
            await asyncio.sleep(began + self._timings.beat_s - loop.time())

    async def _beat(self, began: float) -> None:
        async with self._store.database.transaction() as db:
            is_ours = await workers.beat(db, self.id, now=self._clock.now())
        if is_ours:
            self._renewed(began)
        else:
            self._lose()

    def _renewed(self, began: float) -> None:
        """Set the alarm from when we began. Peers count from the write, which is later."""
        self._silence()
        if not self.lost.is_set():
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_at(began + self._timings.lost_s, self._lose)

    def _lose(self) -> None:
        self._silence()
        if not self.lost.is_set():
            log.error("lease.lost", worker_id=self.id)
            self.lost.set()

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None


@dataclass(frozen=True)
class TakeoverWatcher:
    """Takes over from dead durable workers. Only one worker takes over from each."""

    store: Store
    clock: Clock
    worker_id: WorkerId
    adopt: Callable[[WorkerId], Awaitable[None]]
    """Requeues a dead worker's work. Idempotent: it is called again after an error or a crash."""
    is_gone: IsGone = never_known
    """Whether the process (host, pid) is known to be dead before its lease has run out."""
    busy: Callable[[], Awaitable[set[WorkerId]]] | None = None
    """Executors for which the engine has pending work, to find workers that have no row."""
    timings: LeaseTimings = field(default_factory=LeaseTimings)
    is_there: IsThere = never_seen
    """Whether the process (host, pid) of that moment is known to be alive, if only suspended."""
    _adopting: dict[WorkerId, asyncio.Task[None]] = field(
        default_factory=dict[WorkerId, asyncio.Task[None]]
    )
    _looks: "count[int]" = field(default_factory=count)

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        look = repeat(self._watch, self.timings.beat_s, failed="leases.watch_failed")
        task = asyncio.create_task(look, name="takeover")
        try:
            yield
        finally:
            tasks = [task, *self._adopting.values()]
            for each in tasks:
                each.cancel()
            await asyncio.wait(tasks, timeout=self.timings.leave_s)

    async def check_peers(self) -> None:
        """Start to take over from dead workers."""
        now = self.clock.now()
        if self._adopting:
            async with self.store.database.transaction() as db:
                await workers.continue_adopting(db, self.worker_id, now=now)
        async with self.store.read() as db:
            found = await workers.peers(db, self.worker_id, now=now)
        for peer in found:
            is_silent = peer.silent_s >= self.timings.dead_s
            if is_silent or self.is_gone(peer.holder.host, peer.holder.pid):
                await self._take_over(peer)

    async def reconcile(self) -> None:
        """Add rows for executors without one: a frozen worker may start work after its takeover."""
        if self.busy is not None:
            busy = await self.busy()
            async with self.store.database.transaction() as db:
                await workers.note_unknown(db, busy)

    async def _watch(self) -> None:
        if next(self._looks) % RECONCILE_EVERY == 0:
            await self.reconcile()
        await self.check_peers()

    async def _take_over(self, peer: Seen) -> None:
        dead = peer.holder
        if dead.id in self._adopting:
            return
        now, dead_s = self.clock.now(), self.timings.dead_s
        async with self.store.database.transaction() as db:
            if not dead.durable:
                if not self.is_there(dead.host, dead.pid, peer.beat_at):
                    await workers.remove_dead(db, peer)
                return
            is_mine = await workers.adopt(db, peer, self.worker_id, now=now, dead_s=dead_s)
        if is_mine:
            log.info("worker.adopted", worker_id=dead.id, host=dead.host, pid=dead.pid)
            task = asyncio.create_task(self._take_over_work(dead.id), name=f"adopt-{dead.id}")
            self._adopting[dead.id] = task

    async def _take_over_work(self, dead: WorkerId) -> None:
        try:
            await self.adopt(dead)
            async with self.store.database.transaction() as db:
                await workers.remove_adopted(db, dead, self.worker_id)
        except Exception as error:  # noqa: BLE001 - the next look tries again
            log.warning("worker.not_adopted", worker_id=dead, error=repr(error))
        finally:
            del self._adopting[dead]
