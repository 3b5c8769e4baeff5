"""The register in the database: rows are written before machines and snapshots exist."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from weakref import WeakValueDictionary

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.clock import Clock
from yudai.kit.concurrency import BackgroundTasks, in_background
from yudai.kit.ids import WorkerId
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.port import Tags
from yudai.sandboxes.queries import NO_HOLDER, Kept
from yudai.sandboxes.register import BaseEntry, SandboxEntry
from yudai.store.holders import (
    DEAD_S,
    Holder,
    IsGone,
    IsThere,
    Liveness,
    Seen,
    never_known,
    never_seen,
)
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()


POLL_S = 0.2
BEAT_S = 10.0
_LEAVE_S = 2.0
"""How long releasing a lease may wait for an unreachable database."""

BaseKey = tuple[str, str]
"""The backend's name, and the base's key in it."""


@dataclass(frozen=True)
class BuildLease:
    store: Store
    clock: Clock
    holder: Holder
    is_alive: Liveness
    beat_s: float = BEAT_S
    _locks: WeakValueDictionary[BaseKey, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[BaseKey, asyncio.Lock]
    )
    _over: set[str] = field(default_factory=set[str])
    """Leases that this process has released, even if the database does not know it yet."""
    _background: BackgroundTasks = field(default_factory=BackgroundTasks)

    @asynccontextmanager
    async def hold(self, base: BaseKey) -> AsyncGenerator[str]:
        """Wait for the lease and hold it for the block; it expires unless it is renewed."""
        lock = self._locks.setdefault(base, asyncio.Lock())
        turn = self.holder._replace(id=self.clock.token())
        async with lock:
            try:
                await self._take(base, turn)
                async with in_background(self._beat_for_ever(base, turn), name="base-turn"):
                    yield turn.id
            finally:
                await self._end(base, turn)

    async def _take(self, base: BaseKey, turn: Holder) -> None:
        while True:
            async with self.store.read() as db:
                seen = await sandboxes.builder(db, *base, now=self.clock.now())
            if seen is None or self._is_over(seen):
                async with self.store.database.transaction() as db:
                    now = self.clock.now()
                    if await sandboxes.take_turn(db, base, turn, now=now, instead_of=seen):
                        return
            await asyncio.sleep(POLL_S)

    def _is_over(self, seen: Seen) -> bool:
        return seen.holder.id in self._over or not self.is_alive(seen)

    async def _beat_for_ever(self, base: BaseKey, turn: Holder) -> None:
        is_ours = True
        while is_ours:
            await asyncio.sleep(self.beat_s)
            try:
                async with self.store.database.transaction() as db:
                    is_ours = await sandboxes.beat_turn(db, base, turn, now=self.clock.now())
            except Exception as error:  # noqa: BLE001 - a database that is away for a moment
                log.warning("base.turn_not_renewed", base=base, error=repr(error))
        log.warning("base.lease_lost", base=base)

    async def _end(self, base: BaseKey, turn: Holder) -> None:
        """Release the lease, also when the caller is cancelled again."""
        self._over.add(turn.id)
        await asyncio.wait([self._background.begin(self._let_go(base, turn))], timeout=_LEAVE_S)

    async def _let_go(self, base: BaseKey, turn: Holder) -> None:
        """Retry the release: processes of this machine see us alive and would keep waiting."""
        while turn.id in self._over:
            try:
                async with self.store.database.transaction() as db:
                    await sandboxes.end_turn(db, base, turn)
                self._over.discard(turn.id)
            except Exception as error:  # noqa: BLE001 - a database that is away for a while
                log.warning("base.turn_not_ended", base=base, error=repr(error))
                await asyncio.sleep(self.beat_s)


IsHere = Callable[[str], bool]
"""Whether that host is this machine."""
TagsOf = Callable[[AsyncSession, str], Awaitable[Tags]]
"""Tags of a sandbox of that owner, a run or a solve."""
Ending = Callable[[AsyncSession, str, float], Awaitable[bool]]
"""Record the end of a sandbox."""


@dataclass(frozen=True)
class DatabaseRegister:
    """The register of one process; raises if the database cannot be reached."""

    store: Store
    clock: Clock
    holder: WorkerId
    """Random: it is new at each start."""
    host: str
    pid: int
    tags_of: TagsOf
    is_gone: IsGone = never_known
    is_there: IsThere = never_seen
    is_here: IsHere | None = None
    """None: any host with our host name."""
    dead_s: float = DEAD_S
    turn_beat_s: float = BEAT_S
    _unwritten: dict[str, Ending] = field(default_factory=dict[str, Ending])
    """Sandboxes whose end could not be written."""
    _name: list[str] = field(default_factory=list[str])

    async def installation(self) -> str:
        if not self._name:
            async with self.store.read() as db:
                name = await sandboxes.installation(db)
            self._name.append(name or await self._choose_name())
        return self._name[0]

    async def tags(self, owner: str) -> Tags:
        async with self.store.read() as db:
            return await self.tags_of(db, owner)

    async def open_sandboxes(
        self, entries: Sequence[SandboxEntry], *, at_most: int | None = None
    ) -> bool:
        if at_most is not None:
            # Its row is what those who count wait for.
            await self.installation()
        try:
            async with self.store.database.transaction() as db:
                now = self.clock.now()
                if at_most is not None and not await self._has_room(db, entries, at_most, now):
                    return False
                for entry in entries:
                    await sandboxes.open_sandbox(db, entry, self._me, now=now)
        except BaseException:
            # The rows may exist nevertheless, but they would never be used.
            self._unwritten.update(
                dict.fromkeys((entry.id for entry in entries), sandboxes.close_sandbox)
            )
            raise
        for entry in entries:
            self._unwritten.pop(entry.id, None)
        return True

    async def name_sandbox(self, sandbox_id: str, external: str) -> None:
        async with self.store.database.transaction() as db:
            await sandboxes.name_sandbox(db, sandbox_id, external)

    async def close_sandbox(self, sandbox_id: str, *, reaped: bool = False) -> bool:
        """Record the end. If that fails, the next heartbeat or list tries again."""
        return await self._end(sandbox_id, partial(sandboxes.close_sandbox, reaped=reaped))

    async def let_go(self, sandbox_id: str) -> None:
        await self._end(sandbox_id, _let_go)

    async def sandboxes(self, backend: str) -> Sequence[SandboxEntry]:
        if self._unwritten:
            await self.beat()
        async with self.store.read() as db:
            found = await sandboxes.open_sandboxes(db, backend, now=self.clock.now())
        return [self._entry(kept) for kept in found]

    async def known(self, sandbox_ids: Collection[str]) -> set[str]:
        async with self.store.read() as db:
            return await sandboxes.known(db, sandbox_ids)

    async def beat(self, held: Collection[str] = ()) -> set[str]:
        ended = dict(self._unwritten)
        async with self.store.database.transaction() as db:
            now = self.clock.now()
            for sandbox_id, write in ended.items():
                await write(db, sandbox_id, now)
            await sandboxes.beat(db, self._me, now=now)
            reopened = await sandboxes.reopen(db, held, self._me, now=now)
        for sandbox_id in ended:
            self._unwritten.pop(sandbox_id, None)
        return reopened

    def building(self, backend: str, key: str) -> AbstractAsyncContextManager[str]:
        return self._build_lease.hold((backend, key))

    async def find_base(self, backend: str, key: str) -> BaseEntry | None:
        async with self.store.read() as db:
            return await sandboxes.find_base(db, backend, key)

    async def keep_base(self, entry: BaseEntry, *, turn: str | None = None) -> bool:
        base, now = (entry.backend, entry.key), self.clock.now()
        async with self.store.database.transaction() as db:
            # Renewing the lease locks its row until our commit: no process can take it in between.
            is_ours = turn is None or await sandboxes.beat_turn(
                db, base, self._me._replace(id=turn), now=now
            )
            if is_ours:
                await sandboxes.keep_base(db, entry, now=now)
        return is_ours

    async def rename_base(self, backend: str, key: str, external: str) -> None:
        async with self.store.database.transaction() as db:
            await sandboxes.rename_base(db, backend, key, external)

    async def use_base(self, backend: str, key: str) -> None:
        async with self.store.database.transaction() as db:
            await sandboxes.use_base(db, backend, key, now=self.clock.now())

    async def forget_base(self, backend: str, key: str, external: str) -> bool:
        async with self.store.database.transaction() as db:
            return await sandboxes.forget_base(db, backend, key, external)

    async def bases(self, backend: str) -> Sequence[BaseEntry]:
        async with self.store.read() as db:
            return await sandboxes.bases(db, backend)

    @cached_property
    def _me(self) -> Holder:
        return Holder(self.holder, self.host, self.pid)

    @cached_property
    def _is_alive(self) -> Liveness:
        return Liveness(self.is_gone, self.dead_s, self.is_there)

    @cached_property
    def _build_lease(self) -> BuildLease:
        return BuildLease(self.store, self.clock, self._me, self._is_alive, self.turn_beat_s)

    async def _end(self, sandbox_id: str, write: Ending) -> bool:
        try:
            async with self.store.database.transaction() as db:
                was_open = await write(db, sandbox_id, self.clock.now())
        except BaseException:
            self._unwritten[sandbox_id] = write
            raise
        self._unwritten.pop(sandbox_id, None)
        return was_open

    async def _choose_name(self) -> str:
        async with self.store.database.transaction() as db:
            await sandboxes.name_installation(db, self.clock.token())
            name = await sandboxes.installation(db)
        assert name is not None  # noqa: S101 - just written, if not by us
        return name

    async def _has_room(
        self, db: AsyncSession, entries: Sequence[SandboxEntry], at_most: int, now: float
    ) -> bool:
        await sandboxes.hold_places(db)
        rows = await sandboxes.open_sandboxes(db, entries[0].backend, now=now)
        held = {row.id for row in map(self._entry, rows) if row.is_held}
        return len(held | {entry.id for entry in entries}) <= at_most

    def _entry(self, kept: Kept) -> SandboxEntry:
        row = kept.row
        shown = {
            "is_held": row.holder == self.holder or self._is_alive(kept.seen),
            "is_ended": row.holder == NO_HOLDER,
            "is_here": row.host == self.host if self.is_here is None else self.is_here(row.host),
        }
        return SandboxEntry.model_validate(row, from_attributes=True).model_copy(update=shown)


async def _let_go(db: AsyncSession, sandbox_id: str, _: float) -> bool:
    return await sandboxes.let_go(db, sandbox_id)
