"""What local backends share: the sandboxes and bases on this machine's disk."""

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import structlog

from yudai.kit.concurrency import gather
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.base_build import OpenBuildSandbox
from yudai.sandboxes.backends.local.bases import Base, Bases, Builder
from yudai.sandboxes.backends.local.cgroups import outlived
from yudai.sandboxes.backends.local.home import Home, SandboxRecord
from yudai.sandboxes.backends.sandbox import Commands, Parts, Places, SandboxHandle
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.toolchain import Chosen, Toolchain
from yudai.sandboxes.backends.trees import Stuck
from yudai.sandboxes.backends.workspace.manifest import Manifest
from yudai.sandboxes.backends.workspace.worktree import Worktree
from yudai.sandboxes.port import BaseRef, BaseSpec, BaseView, Leftover, Phase, SandboxRef

log: structlog.stdlib.BoundLogger = structlog.get_logger()

Start = Callable[[], Awaitable[SandboxHandle]]


class Prepared(NamedTuple):
    """A base that sandboxes are made from."""

    key: str
    folder: Path
    about: Base
    tools: Toolchain
    tracked: Manifest


class LocalBackend(ABC):
    """A base class, for each method is one of the port and the same for every local backend.

    Sandboxes are started, listed, destroyed, and reaped when their process died.
    """

    def __init__(
        self, name: str, home: Home, *, path: Sequence[Path] = (), lifetime_s: float = math.inf
    ) -> None:
        self._backend = name
        self._home = home
        self._path = tuple(path)
        self._lifetime_s = lifetime_s
        self._bases = Bases(home.bases)
        self._sandboxes: dict[str, SandboxHandle] = {}
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def _kill(self, record: SandboxRecord) -> None:
        """Kill a sandbox of another process."""

    @abstractmethod
    async def _remove(self, record: SandboxRecord) -> bool:
        """Remove a dead sandbox's leftovers; False if they are gone."""

    @abstractmethod
    async def _uid(self) -> int:
        """Whose files a base is made of."""

    @abstractmethod
    def _opener(self, spec: BaseSpec, owner: str, chosen: Chosen) -> OpenBuildSandbox:
        """How sandboxes are opened in which a base is built."""

    @abstractmethod
    async def _starter(self, base: Prepared, owner: str, phase: Phase) -> Start:
        """How one sandbox is started."""

    async def start(self, n: int, start: Start) -> list[SandboxHandle | SandboxError]:
        """Start n sandboxes. Failures are values; on cancellation all are removed."""
        tasks: list[asyncio.Task[SandboxHandle | SandboxError]] = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks += [group.create_task(self._attempt(start)) for _ in range(n)]
        except BaseException:
            for task in tasks:
                if task.done() and not task.cancelled() and task.exception() is None:
                    sandbox = task.result()
                    if isinstance(sandbox, SandboxHandle):
                        await sandbox.destroy()
            raise
        return [task.result() for task in tasks]

    async def list(self, owner: str | None = None) -> Sequence[SandboxRef]:
        records = self._home.records()
        return [self.ref(r) for r in records if owner is None or r.owner == owner]

    async def destroy(self, ref: SandboxRef) -> bool:
        """End a sandbox of this process or of another one."""
        sandbox = self._sandboxes.get(ref.id)
        if sandbox is not None:
            await sandbox.destroy()
            return True
        record = self._home.find(ref.id)
        if record is None:
            return False
        try:
            return await self._end(record)
        except OSError as error:
            raise SandboxError(self._stuck(record, error).words) from error

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        """Remove what dead processes left: sandboxes, leases, unfinished bases."""
        sandboxes = await self._reap_sandboxes(dry_run=dry_run)
        return [
            *sandboxes,
            *await self._bases.reap(self._backend, self._home.living, dry_run=dry_run),
        ]

    async def close(self) -> None:
        """End every sandbox of this process; the backend may be used again after that.

        One that does not end well keeps neither the others nor the lease.
        """
        await gather(self._close(sandbox) for sandbox in list(self._sandboxes.values()))
        try:
            await asyncio.to_thread(self._home.release)
        except OSError as error:
            log.warning("lease.not_removed", backend=self._backend, error=str(error))

    def ref(self, record: SandboxRecord) -> SandboxRef:
        return SandboxRef(backend=self._backend, id=record.id, owner=record.owner)

    async def forget(self, record: SandboxRecord) -> None:
        """The last step of a sandbox's end; files that stay are the next sweep's."""
        try:
            await self._remove(record)
        except OSError as error:
            why = self._stuck(record, error).words
            log.warning("sandbox.not_removed", sandbox=self.ref(record), error=why)
        self._sandboxes.pop(record.id, None)
        alarm = self._alarms.pop(record.id, None)
        if alarm is not None:
            alarm.cancel()

    async def _attempt(self, start: Start) -> SandboxHandle | SandboxError:
        try:
            sandbox = await start()
        except SandboxError as error:
            return error
        except OSError as error:
            return SandboxError(f"the sandbox could not be started: {error}")
        self._sandboxes[sandbox.ref.id] = sandbox
        if self._lifetime_s < math.inf:
            loop = asyncio.get_running_loop()
            self._alarms[sandbox.ref.id] = loop.call_later(self._lifetime_s, self._expire, sandbox)
        return sandbox

    def _expire(self, sandbox: SandboxHandle) -> None:
        task = asyncio.create_task(sandbox.destroy(why=outlived(self._lifetime_s)))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _close(self, sandbox: SandboxHandle) -> None:
        try:
            await sandbox.destroy()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next sweep sees to it
            log.warning("sandbox.not_ended", sandbox=sandbox.ref, error=repr(error))

    async def _reap_sandboxes(self, *, dry_run: bool) -> Sequence[Leftover]:
        abandoned = await asyncio.to_thread(self._home.abandoned)
        if dry_run:
            return [self._leftover(record) for record in abandoned]
        found = [await self._reap(record) for record in abandoned]
        stuck = await asyncio.to_thread(self._home.reap_leases)
        return [*(one for one in found if one is not None), *map(self._lease_left, stuck)]

    async def _reap(self, record: SandboxRecord) -> Leftover | None:
        """None: another process was faster."""
        try:
            return self._leftover(record) if await self._end(record) else None
        except OSError as error:
            return self._leftover(record).refused(self._stuck(record, error).words)

    def _leftover(self, record: SandboxRecord) -> Leftover:
        return Leftover(
            backend=self._backend,
            id=record.id,
            owner=record.owner,
            why="its process is dead",
            age_s=max(0.0, time.time() - record.made_at) if record.made_at else None,
        )

    def _lease_left(self, stuck: Stuck) -> Leftover:
        name, why = stuck.path.name, "files left by a dead process"
        return Leftover(backend=self._backend, id=name, why=why).refused(stuck.words)

    def _stuck(self, record: SandboxRecord, error: OSError) -> Stuck:
        return Stuck(self._home.sandbox(record.id), error)

    async def _end(self, record: SandboxRecord) -> bool:
        await self._kill(record)
        return await self._remove(record)

    async def prepare(self, spec: BaseSpec, *, owner: str = "") -> BaseRef:
        toolchain.find(spec.env)
        builder = Builder(
            uid=await self._uid(),
            choose=partial(toolchain.choose, spec, self._path),
            open_build_sandbox=partial(self._opener, spec, owner),
        )
        await self._bases.prepare(spec, builder, self._home.living)
        return BaseRef(key=spec.key)

    async def setup_log(self, base: BaseRef) -> bytes:
        return await asyncio.to_thread(self._bases.setup_log, base.key)

    async def spawn(
        self, base: BaseRef, n: int, *, owner: str, phase: Phase = Phase.AGENT
    ) -> Sequence[SandboxHandle | SandboxError]:
        key = base.key
        folder, about = self._bases.folder(key), self._bases.load(key)
        tools = toolchain.find(about.env, about.chosen, made=self._bases.made(key))
        prepared = Prepared(key, folder, about, tools, await self._bases.manifest(key))
        return await self.start(n, await self._starter(prepared, owner, phase))

    async def bases(self) -> Sequence[BaseView]:
        return await self._bases.facts(self._backend, self._home.living)

    async def remove_base(self, key: str) -> bool:
        return await self._bases.remove(key, self._home.living)

    def _sandbox(
        self, record: SandboxRecord, commands: Commands, tree: Worktree, places: Places
    ) -> SandboxHandle:
        look = partial(asyncio.to_thread, tree.changes)
        parts = Parts(commands, look, places, partial(self.forget, record))
        return SandboxHandle(self.ref(record), parts)
