"""A register in memory: several of one desk are the registers of several processes."""

import asyncio
import itertools
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from yudai.sandboxes.base_queries import shortened
from yudai.sandboxes.port import Tags
from yudai.sandboxes.queries import NOBODY
from yudai.sandboxes.register import BaseEntry, BoxEntry
from yudai.store.holders import DEAD_S

BaseKey = tuple[str, str]


@dataclass
class Box:
    entry: BoxEntry
    holder: str
    beat_at: float
    is_open: bool = True
    reaped: bool = False
    host: str = ""


@dataclass
class Desk:
    """What all processes share; its time can be moved, and a process can die."""

    clock: Callable[[], float] = time.time
    ahead_s: float = 0.0
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    tags: dict[str, Tags] = field(default_factory=dict)
    """By owner."""
    boxes: dict[str, Box] = field(default_factory=dict)
    bases: dict[BaseKey, BaseEntry] = field(default_factory=dict)
    builders: dict[BaseKey, str] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    numbers: itertools.count = field(default_factory=itertools.count)

    def now(self) -> float:
        return self.clock() + self.ahead_s

    def is_alive(self, holder: str, beat_at: float) -> bool:
        return holder not in self.dead and self.now() - beat_at < DEAD_S

    async def kill(self, register: "MemoryRegister") -> None:
        """As `kill -9` does: it is known at once."""
        self.dead.add(register.holder)
        async with self.changed:
            self.changed.notify_all()


class MemoryRegister:
    """Keeps the promises of `Register`, but for one: a builder that is silent is not noticed."""

    def __init__(self, desk: Desk | None = None, *, host: str = "here") -> None:
        self.desk = desk or Desk()
        self.host = host
        self.holder = f"process-{next(self.desk.numbers)}"

    async def installation(self) -> str:
        return self.desk.name

    async def tags(self, owner: str) -> Tags:
        return self.desk.tags.get(owner, Tags())

    async def open_boxes(self, entries: Sequence[BoxEntry], *, at_most: int | None = None) -> bool:
        if at_most is not None:
            [backend] = {entry.backend for entry in entries}
            held = {row.id for row in await self.boxes(backend) if row.is_held}
            if len(held | {entry.id for entry in entries}) > at_most:
                return False
        now = self.desk.now()
        for entry in entries:
            noted = entry.model_copy(update={"created_at": now})
            self.desk.boxes.setdefault(entry.id, Box(noted, self.holder, now, host=self.host))
        return True

    async def name_box(self, box_id: str, external: str) -> None:
        if box := self.desk.boxes.get(box_id):
            box.entry = box.entry.model_copy(update={"external": external})

    async def close_box(self, box_id: str, *, reaped: bool = False) -> bool:
        box = self.desk.boxes.get(box_id)
        if box is None:
            return False
        was_open, box.is_open = box.is_open, False
        box.reaped = box.reaped or reaped
        return was_open

    async def let_go(self, box_id: str) -> None:
        if (box := self.desk.boxes.get(box_id)) and box.is_open:
            box.holder, box.beat_at = NOBODY, 0.0

    async def boxes(self, backend: str) -> Sequence[BoxEntry]:
        found = [b for b in self.desk.boxes.values() if b.is_open and b.entry.backend == backend]
        return [
            box.entry.model_copy(
                update={
                    "is_held": self._is_held(box),
                    "is_ended": box.holder == NOBODY,
                    "is_here": box.host == self.host,
                }
            )
            for box in sorted(found, key=lambda box: (box.entry.created_at, box.entry.id))
        ]

    async def known(self, box_ids: Collection[str]) -> set[str]:
        return {box_id for box_id in box_ids if box_id in self.desk.boxes}

    async def beat(self, held: Collection[str] = ()) -> set[str]:
        ours = {name: box for name, box in self.desk.boxes.items() if box.holder == self.holder}
        closed = {n for n, box in ours.items() if not box.is_open and not box.reaped}
        for name, box in ours.items():
            box.is_open = box.is_open or name in closed & set(held)
            box.beat_at = self.desk.now() if box.is_open else box.beat_at
        return closed & set(held)

    @asynccontextmanager
    async def building(self, backend: str, key: str) -> AsyncGenerator[str]:
        desk, base, turn = self.desk, (backend, key), f"{self.holder} {next(self.desk.numbers)}"

        def is_free() -> bool:
            return desk.builders.get(base, "").partition(" ")[0] in ("", *desk.dead)

        async with desk.changed:
            await desk.changed.wait_for(is_free)
            desk.builders[base] = turn
        try:
            yield turn
        finally:
            if desk.builders.get(base) == turn:
                del desk.builders[base]
            async with desk.changed:
                desk.changed.notify_all()

    async def find_base(self, backend: str, key: str) -> BaseEntry | None:
        entry = self.desk.bases.get((backend, key))
        return None if entry is None else self._told(entry)

    async def keep_base(self, entry: BaseEntry, *, turn: str | None = None) -> bool:
        if turn is not None and self.desk.builders.get((entry.backend, entry.key)) != turn:
            return False
        now, log = self.desk.now(), shortened(entry.setup_log)
        kept = entry.model_copy(update={"made_at": now, "used_at": now, "setup_log": log})
        self.desk.bases[entry.backend, entry.key] = kept
        return True

    async def rename_base(self, backend: str, key: str, external: str) -> None:
        if entry := self.desk.bases.get((backend, key)):
            renamed = entry.model_copy(update={"external": external})
            self.desk.bases[backend, key] = renamed

    async def use_base(self, backend: str, key: str) -> None:
        if entry := self.desk.bases.get((backend, key)):
            used = entry.model_copy(update={"used_at": self.desk.now()})
            self.desk.bases[backend, key] = used

    async def forget_base(self, backend: str, key: str, external: str) -> bool:
        entry = self.desk.bases.get((backend, key))
        if entry is None or entry.external != external:
            return False
        del self.desk.bases[backend, key]
        return True

    async def bases(self, backend: str) -> Sequence[BaseEntry]:
        found = [entry for entry in self.desk.bases.values() if entry.backend == backend]
        return [
            self._told(entry).model_copy(update={"setup_log": b""})
            for entry in sorted(found, key=lambda entry: (-entry.used_at, entry.key))
        ]

    def _is_held(self, box: Box) -> bool:
        return box.holder == self.holder or self.desk.is_alive(box.holder, box.beat_at)

    def _told(self, entry: BaseEntry) -> BaseEntry:
        stands = (entry.backend, entry.key)
        boxes = [b for b in self.desk.boxes.values() if b.is_open]
        users = sum((box.entry.backend, box.entry.base) == stands for box in boxes)
        return entry.model_copy(update={"users": users})
