"""What sandboxes tried to reach and may not, told in the timeline of their solve."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, WorldError
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
"""Told once, instead of all that is above the limit."""
MOST = 50
"""Of one run, or of what a solve does itself: the rest is more of the same."""
KINDS = frozenset({BLOCKED, MORE})
OWNERS = 5000
"""So many are remembered; of an older one, what was told before may be told again."""
_QUEUE = 1000


def blocked_entry(kind: str, run_id: RunId | None, facts: Mapping[str, object]) -> BlockedEntry:
    """An event of KINDS as it is shown."""
    port = facts.get("port")
    return BlockedEntry(
        run_id=run_id,
        phase=str(facts.get("phase", "")),
        host=str(facts.get("host")) if kind == BLOCKED else None,
        port=port if isinstance(port, int) else None,
    )


def blocked_of(told: Iterable[EventRow]) -> tuple[BlockedEntry, ...]:
    return tuple(
        blocked_entry(event.kind, event.run_id, event.data) for event in told if event.kind in KINDS
    )


class _Owner(NamedTuple):
    solve_id: SolveId
    run_id: RunId | None
    """None: the solve itself, as in its set-up."""


class BlockedNotes:
    """Hears at once, writes when there is time; each host of an owner's phase is told once."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._heard: asyncio.Queue[Blocked] = asyncio.Queue(_QUEUE)
        self._told: dict[_Owner, set[tuple[str, str, int]]] = {}
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
        """Of the event that tells it; None: that was told."""
        told = self._told[owner] = self._told.pop(owner, set())
        while len(self._told) > OWNERS:
            del self._told[next(iter(self._told))]
        what = (blocked.phase.value, blocked.host, blocked.port)
        if what in told or len(told) > MOST:
            return None
        told.add(what)
        return BLOCKED if len(told) <= MOST else MORE


async def _owner(db: AsyncSession, name: str) -> _Owner | None:
    try:
        run = await runs.get(db, RunId(name))
        return _Owner(run.solve_id, run.id)
    except NotFoundError:
        pass
    try:
        return _Owner((await solves.get(db, SolveId(name))).id, None)
    except NotFoundError:
        return None
