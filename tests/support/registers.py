"""A register in memory: several of one desk are the registers of several processes."""

import asyncio
import itertools
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from yudai.sandboxes.port import Tags
from yudai.sandboxes.queries import NO_HOLDER, shortened
from yudai.sandboxes.register import BaseEntry, SandboxEntry
from yudai.store.holders import DEAD_S

BaseKey = tuple[str, str]


@dataclass
class SandboxHandle:
    entry: SandboxEntry
    holder: str
    beat_at: float
    is_open: bool = True
    reaped: bool = False
    host: str = ""


@dataclass
class Scene:
    """What all processes share; its time can be moved, and a process can die."""

    clock: Callable[[], float] = time.time
    ahead_s: float = 0.0
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    tags: dict[str, Tags] = field(default_factory=dict)
    """By owner."""
    sandboxes: dict[str, SandboxHandle] = field(default_factory=dict)
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

    def __init__(self, scene: Scene | None = None, *, host: str = "here") -> None:
        self.scene = scene or Scene()
        self.host = host
        self.holder = f"process-{next(self.scene.numbers)}"

    async def installation(self) -> str:
        return self.scene.name

    async def tags(self, owner: str) -> Tags:
        return self.scene.tags.get(owner, Tags())

    async def open_sandboxes(
        self, entries: Sequence[SandboxEntry], *, at_most: int | None = None
    ) -> bool:
        if at_most is not None:
            [backend] = {entry.backend for entry in entries}
            held = {row.id for row in await self.sandboxes(backend) if row.is_held}
            if len(held | {entry.id for entry in entries}) > at_most:
                return False
        now = self.scene.now()
        for entry in entries:
            noted = entry.model_copy(update={"created_at": now})
            self.scene.sandboxes.setdefault(
                entry.id, SandboxHandle(noted, self.holder, now, host=self.host)
            )
        return True

    async def name_sandbox(self, sandbox_id: str, external: str) -> None:
        if sandbox := self.scene.sandboxes.get(sandbox_id):
            sandbox.entry = sandbox.entry.model_copy(update={"external": external})

    async def close_sandbox(self, sandbox_id: str, *, reaped: bool = False) -> bool:
        sandbox = self.scene.sandboxes.get(sandbox_id)
        if sandbox is None:
            return False
        was_open, sandbox.is_open = sandbox.is_open, False
        sandbox.reaped = sandbox.reaped or reaped
        return was_open

    async def let_go(self, sandbox_id: str) -> None:
        if (sandbox := self.scene.sandboxes.get(sandbox_id)) and sandbox.is_open:
            sandbox.holder, sandbox.beat_at = NO_HOLDER, 0.0

    async def sandboxes(self, backend: str) -> Sequence[SandboxEntry]:
        found = [
            b for b in self.scene.sandboxes.values() if b.is_open and b.entry.backend == backend
        ]
        return [
            sandbox.entry.model_copy(
                update={
                    "is_held": self._is_held(sandbox),
                    "is_ended": sandbox.holder == NO_HOLDER,
                    "is_here": sandbox.host == self.host,
                }
            )
            for sandbox in sorted(
                found, key=lambda sandbox: (sandbox.entry.created_at, sandbox.entry.id)
            )
        ]

    async def known(self, sandbox_ids: Collection[str]) -> set[str]:
        return {sandbox_id for sandbox_id in sandbox_ids if sandbox_id in self.scene.sandboxes}

    async def beat(self, held: Collection[str] = ()) -> set[str]:
        ours = {
            name: sandbox
            for name, sandbox in self.scene.sandboxes.items()
            if sandbox.holder == self.holder
        }
        closed = {n for n, sandbox in ours.items() if not sandbox.is_open and not sandbox.reaped}
        for name, sandbox in ours.items():
            sandbox.is_open = sandbox.is_open or name in closed & set(held)
            sandbox.beat_at = self.scene.now() if sandbox.is_open else sandbox.beat_at
        return closed & set(held)

    @asynccontextmanager
    async def building(self, backend: str, key: str) -> AsyncGenerator[str]:
        scene, base, turn = self.scene, (backend, key), f"{self.holder} {next(self.scene.numbers)}"

        def is_free() -> bool:
            return scene.builders.get(base, "").partition(" ")[0] in ("", *scene.dead)

        async with scene.changed:
            await scene.changed.wait_for(is_free)
            scene.builders[base] = turn
        try:
            yield turn
        finally:
            if scene.builders.get(base) == turn:
                del scene.builders[base]
            async with scene.changed:
                scene.changed.notify_all()

    async def find_base(self, backend: str, key: str) -> BaseEntry | None:
        entry = self.scene.bases.get((backend, key))
        return None if entry is None else self._told(entry)

    async def keep_base(self, entry: BaseEntry, *, turn: str | None = None) -> bool:
        if turn is not None and self.scene.builders.get((entry.backend, entry.key)) != turn:
            return False
        now, log = self.scene.now(), shortened(entry.setup_log)
        kept = entry.model_copy(update={"made_at": now, "used_at": now, "setup_log": log})
        self.scene.bases[entry.backend, entry.key] = kept
        return True

    async def rename_base(self, backend: str, key: str, external: str) -> None:
        if entry := self.scene.bases.get((backend, key)):
            renamed = entry.model_copy(update={"external": external})
            self.scene.bases[backend, key] = renamed

    async def use_base(self, backend: str, key: str) -> None:
        if entry := self.scene.bases.get((backend, key)):
            used = entry.model_copy(update={"used_at": self.scene.now()})
            self.scene.bases[backend, key] = used

    async def forget_base(self, backend: str, key: str, external: str) -> bool:
        entry = self.scene.bases.get((backend, key))
        if entry is None or entry.external != external:
            return False
        del self.scene.bases[backend, key]
        return True

    async def bases(self, backend: str) -> Sequence[BaseEntry]:
        found = [entry for entry in self.scene.bases.values() if entry.backend == backend]
        return [
            self._told(entry).model_copy(update={"setup_log": b""})
            for entry in sorted(found, key=lambda entry: (-entry.used_at, entry.key))
        ]

    def _is_held(self, sandbox: SandboxHandle) -> bool:
        return sandbox.holder == self.holder or self.scene.is_alive(sandbox.holder, sandbox.beat_at)

    def _told(self, entry: BaseEntry) -> BaseEntry:
        stands = (entry.backend, entry.key)
        sandboxes = [b for b in self.scene.sandboxes.values() if b.is_open]
        users = sum((sandbox.entry.backend, sandbox.entry.base) == stands for sandbox in sandboxes)
        return entry.model_copy(update={"users": users})
