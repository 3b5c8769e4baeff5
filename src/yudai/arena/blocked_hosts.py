"""Records blocked network requests of sandboxes in the timeline of their solve."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.clock import Clock
from yudai.kit.errors import InfrastructureError, NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.sandboxes.port import UNKNOWN_PORT, Blocked
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.blocked import BlockedEntry
from yudai.solves.tables import EventRow
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

BLOCKED = "network.blocked"
MORE = "network.blocked_more"
"""Written once, in place of all events above the limit."""
MOST = 50
"""Events per run, or per solve for its own set-up."""
KINDS = frozenset({BLOCKED, MORE})
OWNERS = 5000
"""Owners that are remembered. Events of older ones may be written twice."""
_QUEUE = 1000


def blocked_entry(kind: str, run_id: RunId | None, facts: Mapping[str, object]) -> BlockedEntry:
    port = facts.get("port")
    return BlockedEntry(
        run_id=run_id,
        phase=str(facts.get("phase", "")),
        host=str(facts.get("host")) if kind == BLOCKED else None,
        port=port if isinstance(port, int) else None,
    )


def blocked_of(timeline: Iterable[EventRow]) -> tuple[BlockedEntry, ...]:
    return tuple(
        blocked_entry(event.kind, event.run_id, event.data)
        for event in timeline
        if event.kind in KINDS
    )


class _Owner(NamedTuple):
    solve_id: SolveId
    run_id: RunId | None
    """None: the solve itself, for example its set-up."""


class BlockedHostRecorder:
    """Takes events without blocking and writes each owner, phase and host once."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._pending: asyncio.Queue[Blocked] = asyncio.Queue(_QUEUE)
        self._written: dict[_Owner, set[tuple[str, str, int]]] = {}
        """Ordered by the latest event."""

    def record(self, blocked: Blocked) -> None:
        """Queue an event without blocking; it is dropped when the queue is full."""
        try:
            self._pending.put_nowait(blocked)
        except asyncio.QueueFull:
            log.warning("network.blocked_not_recorded", host=blocked.host, owner=blocked.owner)

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        task = asyncio.create_task(self._write_pending(), name="blocked")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            while not self._pending.empty():
                await self._try_to_write(self._pending.get_nowait())

    async def _write_pending(self) -> None:
        while True:
            await self._try_to_write(await self._pending.get())

    async def _try_to_write(self, blocked: Blocked) -> None:
        try:
            await self._write(blocked)
        except (SQLAlchemyError, InfrastructureError) as error:
            log.warning("network.blocked_not_recorded", host=blocked.host, error=repr(error))

    async def _write(self, blocked: Blocked) -> None:
        async with self._store.change() as db:
            owner = await _owner(db, blocked.owner)
            if owner is None:
                log.info(BLOCKED, **blocked.model_dump())
                return
            kind = self._kind(owner, blocked)
            if kind is None:
                return
            data: dict[str, object] = {"phase": blocked.phase.value}
            if kind == BLOCKED:
                port = {"port": blocked.port} if blocked.port != UNKNOWN_PORT else {}
                data = {"host": blocked.host, **port, **data}
            now = self._clock.now()
            await events.append(
                db, owner.solve_id, kind=kind, at=now, run_id=owner.run_id, data=data
            )

    def _kind(self, owner: _Owner, blocked: Blocked) -> str | None:
        """Kind of the event to write; None when it was written before."""
        written = self._written[owner] = self._written.pop(owner, set())
        while len(self._written) > OWNERS:
            del self._written[next(iter(self._written))]
        what = (blocked.phase.value, blocked.host, blocked.port)
        if what in written or len(written) > MOST:
            return None
        written.add(what)
        return BLOCKED if len(written) <= MOST else MORE


async def _owner(db: AsyncSession, name: str) -> _Owner | None:
    with suppress(NotFoundError):
        run = await runs.get(db, RunId(name))
        return _Owner(run.solve_id, run.id)
    with suppress(NotFoundError):
        return _Owner((await solves.get(db, SolveId(name))).id, None)
    return None
