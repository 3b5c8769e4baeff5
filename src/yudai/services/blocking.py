"""What sandboxes tried to reach and may not, told in the timeline of their solve."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import structlog
from sqlalchemy.exc import SQLAlchemyError

from yudai.domain.errors import NotFoundError, WorldError
from yudai.domain.ids import RunId, SolveId
from yudai.ports.clock import Clock
from yudai.ports.sandbox import Blocked
from yudai.store import events, runs, solves
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

BLOCKED = "network.blocked"
MOST = 50
"""Of one solve: the rest is more of the same."""
SOLVES = 2000
"""So many are remembered; of an older one, what was told before may be told again."""
_QUEUE = 1000


class BlockedNotes:
    """Hears at once, writes when there is time; each host of a solve's phase is told once."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._heard: asyncio.Queue[Blocked] = asyncio.Queue(_QUEUE)
        self._told: dict[SolveId, set[tuple[str, str, int]]] = {}
        """The one that was heard of last is at the end."""

    def hear(self, blocked: Blocked) -> None:
        """Never blocks; what does not fit is dropped, for it is only told."""
        try:
            self._heard.put_nowait(blocked)
        except asyncio.QueueFull:
            log.warning("network.blocked_untold", host=blocked.host, owner=blocked.owner)

    @asynccontextmanager
    async def telling(self) -> AsyncGenerator[None]:
        task = asyncio.create_task(self._tell_for_ever(), name="blocked")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            while not self._heard.empty():
                await self._tell(self._heard.get_nowait())

    async def _tell_for_ever(self) -> None:
        while True:
            await self._tell(await self._heard.get())

    async def _tell(self, blocked: Blocked) -> None:
        try:
            await self._write(blocked)
        except (SQLAlchemyError, WorldError) as error:
            log.warning("network.blocked_untold", host=blocked.host, error=repr(error))

    async def _write(self, blocked: Blocked) -> None:
        async with self._store.change() as db:
            try:
                run = await runs.get(db, RunId(blocked.owner))
                solve_id, run_id = run.solve_id, run.id
            except NotFoundError:
                run_id = None
                try:
                    solve_id = (await solves.get(db, SolveId(blocked.owner))).id
                except NotFoundError:
                    log.info(BLOCKED, **blocked.model_dump())
                    return
            if not self._is_new(solve_id, blocked):
                return
            data: dict[str, object] = {
                "host": blocked.host,
                "port": blocked.port,
                "phase": blocked.phase.value,
            }
            now = self._clock.now()
            await events.append(db, solve_id, kind=BLOCKED, at=now, run_id=run_id, data=data)

    def _is_new(self, solve_id: SolveId, blocked: Blocked) -> bool:
        told = self._told[solve_id] = self._told.pop(solve_id, set())
        while len(self._told) > SOLVES:
            del self._told[next(iter(self._told))]
        what = (blocked.phase.value, blocked.host, blocked.port)
        if what in told or len(told) >= MOST:
            return False
        told.add(what)
        return True
