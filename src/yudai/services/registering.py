"""The register in the database: what backends note before they make what could outlive them."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.ports.clock import Clock
from yudai.ports.register import BaseEntry, BoxEntry
from yudai.ports.sandbox import Tags
from yudai.services.holding import IsGone, IsThere, Living, never_known, never_seen
from yudai.services.turns import BEAT_S, Turns
from yudai.store import bases, sandboxes
from yudai.store.sandboxes import DEAD_S, Holder, Kept
from yudai.store.store import Store


@dataclass(frozen=True)
class DatabaseRegister:
    """One for each process; what it cannot write because the database is away, it raises."""

    store: Store
    clock: Clock
    holder: str
    """Random: it is new at each start."""
    host: str
    pid: int
    is_gone: IsGone = never_known
    is_there: IsThere = never_seen
    dead_s: float = DEAD_S
    turn_beat_s: float = BEAT_S
    _unclosed: dict[str, bool] = field(default_factory=dict[str, bool])
    """Boxes whose end could not be written; whether they were reaped."""
    _name: list[str] = field(default_factory=list[str])

    async def installation(self) -> str:
        if not self._name:
            async with self.store.read() as db:
                name = await sandboxes.installation(db)
            self._name.append(name or await self._choose_name())
        return self._name[0]

    async def tags(self, owner: str) -> Tags:
        async with self.store.read() as db:
            return await sandboxes.tags_of(db, owner)

    async def open_boxes(self, entries: Sequence[BoxEntry], *, at_most: int | None = None) -> bool:
        if at_most is not None:
            # Its row is what those who count wait for.
            await self.installation()
        try:
            async with self.store.database.transaction() as db:
                now = self.clock.now()
                if at_most is not None and not await self._has_room(db, entries, at_most, now):
                    return False
                for entry in entries:
                    await sandboxes.open_box(db, entry, self._me, now=now)
        except BaseException:
            # They may be there nevertheless, and nobody would use them.
            self._unclosed.update(dict.fromkeys((entry.id for entry in entries), False))
            raise
        for entry in entries:
            self._unclosed.pop(entry.id, None)
        return True

    async def name_box(self, box_id: str, external: str) -> None:
        async with self.store.database.transaction() as db:
            await sandboxes.name_box(db, box_id, external)

    async def close_box(self, box_id: str, *, reaped: bool = False) -> bool:
        """What is not written now is written with a later beat or look."""
        try:
            async with self.store.database.transaction() as db:
                now = self.clock.now()
                was_open = await sandboxes.close_box(db, box_id, reaped=reaped, now=now)
        except BaseException:
            self._unclosed[box_id] = reaped
            raise
        self._unclosed.pop(box_id, None)
        return was_open

    async def boxes(self, backend: str) -> Sequence[BoxEntry]:
        if self._unclosed:
            await self.beat()
        async with self.store.read() as db:
            found = await sandboxes.open_boxes(db, backend, now=self.clock.now())
        return [self._entry(kept) for kept in found]

    async def known(self, box_ids: Collection[str]) -> set[str]:
        async with self.store.read() as db:
            return await sandboxes.known(db, box_ids)

    async def beat(self) -> None:
        ended = dict(self._unclosed)
        async with self.store.database.transaction() as db:
            now = self.clock.now()
            for box_id, reaped in ended.items():
                await sandboxes.close_box(db, box_id, reaped=reaped, now=now)
            await sandboxes.beat(db, self._me, now=now)
        for box_id in ended:
            self._unclosed.pop(box_id, None)

    def building(self, backend: str, key: str) -> AbstractAsyncContextManager[None]:
        return self._turns.taken((backend, key))

    async def find_base(self, backend: str, key: str) -> BaseEntry | None:
        async with self.store.read() as db:
            return await bases.find(db, backend, key)

    async def keep_base(self, entry: BaseEntry) -> None:
        async with self.store.database.transaction() as db:
            await bases.keep(db, entry, now=self.clock.now())

    async def rename_base(self, backend: str, key: str, external: str) -> None:
        async with self.store.database.transaction() as db:
            await bases.rename(db, backend, key, external)

    async def use_base(self, backend: str, key: str) -> None:
        async with self.store.database.transaction() as db:
            await bases.use(db, backend, key, now=self.clock.now())

    async def forget_base(self, backend: str, key: str) -> bool:
        async with self.store.database.transaction() as db:
            return await bases.forget(db, backend, key)

    async def bases(self, backend: str) -> Sequence[BaseEntry]:
        async with self.store.read() as db:
            return await bases.in_backend(db, backend)

    @cached_property
    def _me(self) -> Holder:
        return Holder(self.holder, self.host, self.pid)

    @cached_property
    def _living(self) -> Living:
        return Living(self.is_gone, self.dead_s, self.is_there)

    @cached_property
    def _turns(self) -> Turns:
        return Turns(self.store, self.clock, self._me, self._living, self.turn_beat_s)

    async def _choose_name(self) -> str:
        async with self.store.database.transaction() as db:
            await sandboxes.name_installation(db, self.clock.token())
            name = await sandboxes.installation(db)
        assert name is not None  # noqa: S101 - just written, if not by us
        return name

    async def _has_room(
        self, db: AsyncSession, entries: Sequence[BoxEntry], at_most: int, now: float
    ) -> bool:
        await sandboxes.hold_places(db)
        rows = await sandboxes.open_boxes(db, entries[0].backend, now=now)
        held = {row.id for row in map(self._entry, rows) if row.is_held}
        return len(held | {entry.id for entry in entries}) <= at_most

    def _entry(self, kept: Kept) -> BoxEntry:
        row = kept.row
        is_ours = row.holder == self.holder
        return BoxEntry(
            id=row.id,
            backend=row.backend,
            owner=row.owner,
            base=row.base,
            external=row.external,
            tags=row.tags,
            created_at=row.created_at,
            is_held=is_ours or self._living(kept.holder, kept.silent_s, row.beat_at),
        )
