"""Makes bubblewrap boxes on this host, and takes away what they leave."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.bubblewrap.commands import RunnerCommands
from yudai.sandboxes.backends.bubblewrap.etc import HOSTS
from yudai.sandboxes.backends.bubblewrap.host import Ground, find_ground
from yudai.sandboxes.backends.bubblewrap.identity import Identity
from yudai.sandboxes.backends.bubblewrap.mounts import CONTROL, Frame
from yudai.sandboxes.backends.bubblewrap.parent_death import Guard
from yudai.sandboxes.backends.disk_watch import DiskWatch
from yudai.sandboxes.backends.local import cgroups
from yudai.sandboxes.backends.local.cgroups import Cgroup, Cgroups
from yudai.sandboxes.backends.local.home import BoxRecord, Home
from yudai.sandboxes.backends.local.limits import limit_processes, ulimits
from yudai.sandboxes.backends.local.processes import children, kill_and_wait, program, with_word
from yudai.sandboxes.backends.network.egress import Outlet, Outlets, Reach
from yudai.sandboxes.backends.network.nscd import Entry, entries_of
from yudai.sandboxes.backends.toolchain import bundled
from yudai.sandboxes.backends.toolchain.toolchain import Toolchain
from yudai.sandboxes.backends.workspace.worktree import Stamp
from yudai.sandboxes.port import SandboxLimits

_ATTEMPTS = 200
_PAUSE_S = 0.01


class Layout(NamedTuple):
    """How a box's workspace is mounted, and where the host sees what is written there."""

    mounts: tuple[str, ...]
    written: Path
    pristine: Mapping[str, Stamp] | None = None
    """Of a copy: its files as they were before the first command."""


LayOut = Callable[[Identity, Path], Awaitable[Layout]]
"""Lays out a workspace for that user in a new box's folder."""


class Built(NamedTuple):
    record: BoxRecord
    commands: RunnerCommands
    layout: Layout
    cgroup: Cgroup


@dataclass
class Workshop:
    home: Home
    outlets: Outlets
    _: KW_ONLY
    limits: SandboxLimits
    installation: str
    overlays: bool
    _entries: tuple[Entry, ...] = field(default_factory=partial(entries_of, HOSTS))
    _ground: Ground | None = None
    _cgroups: Cgroups | None = None
    _guard: Guard = field(default_factory=Guard)

    async def ground(self) -> Ground:
        if self._ground is None:
            ground = await find_ground(self.home.lease(), self.home.etc, self.limits)
            overlay = ground.features.overlay and self.overlays
            self._ground = ground._replace(features=ground.features._replace(overlay=overlay))
        return self._ground

    def close(self) -> None:
        """What it stands on is in the lease's folder and goes with it."""
        self._ground = None
        self._guard.close()

    async def frame(self, toolchain: Toolchain) -> Frame:
        return (await self.ground()).frame(bundled.furnish(toolchain, self.home.tools), self.limits)

    async def build(
        self,
        owner: str,
        lay_out: LayOut,
        frame: Frame,
        *,
        base: str = "",
        reach: Reach | None = None,
    ) -> Built:
        """Start a box in a folder of its own; nothing is left of one that does not start.

        Without `reach` it has no way out at all, and nobody hears what it looks for.
        """
        ground = await self.ground()
        groups = self._groups()
        record = self.home.new_box(
            owner, base=base, cgroups=lambda box: groups.names(self._name(box))
        )
        outlet: Outlet | None = None
        try:
            layout = await lay_out(ground.features.identity, self.home.box(record.id))
            control = ground.new_control(self.home.box(record.id))
            if reach is not None:
                outlet = self.outlets.open(control, reach, seen_as=CONTROL, entries=self._entries)
            return await self._build(record, layout, frame, control=control, outlet=outlet)
        except BaseException:
            if outlet is not None:
                await outlet.server.close()
            await self.remove(record)
            raise

    async def _build(
        self,
        record: BoxRecord,
        layout: Layout,
        frame: Frame,
        *,
        control: Path,
        outlet: Outlet | None,
    ) -> Built:
        ground = await self.ground()
        cgroup = self._groups().create(self._name(record.id), self.limits)
        # Boxes that are made together are all furnished before the first one starts and competes.
        await asyncio.sleep(0)
        argv = frame.argv(control, layout.mounts, ulimits(self.limits, cgroup))
        runner = await ground.start(argv, control, groups=cgroup.entrances)
        try:
            if ground.features.identity.outlives_us:
                self._guard.watch(record.id, runner.pid)
            limit_processes(runner.pid, self.limits, cgroup)
            cgroup.step_back()
        except BaseException:
            await runner.end()
            raise
        disk = DiskWatch(layout.written, self.limits.disk_bytes)
        commands = RunnerCommands(runner, control=control, cgroup=cgroup, disk=disk, outlet=outlet)
        return Built(record, commands, layout, cgroup)

    async def kill(self, record: BoxRecord) -> None:
        """End a box that another process has started: what is in its groups, or its bubblewrap."""
        above = [
            pid
            for pid in with_word(str(self.home.box(record.id) / "control"))
            if program(pid).startswith("bwrap")
        ]
        inside = [child for pid in above for child in children(pid)]
        await kill_and_wait([*inside, *above, *cgroups.members(record.cgroups)])

    async def remove(self, record: BoxRecord) -> bool:
        """Take away a dead box's groups and folder; False when they were gone."""
        self._guard.forget(record.id)
        # A group can be removed a moment after its last process is gone.
        for _ in range(_ATTEMPTS):
            if cgroups.remove(record.cgroups):
                break
            await asyncio.sleep(_PAUSE_S)
        return await asyncio.to_thread(self.home.remove_box, record.id)

    @asynccontextmanager
    async def temporary(
        self, owner: str, lay_out: LayOut, toolchain: Toolchain, *, reach: Reach | None = None
    ) -> AsyncGenerator[Built]:
        built = await self.build(owner, lay_out, await self.frame(toolchain), reach=reach)
        try:
            yield built
        finally:
            await built.commands.end()
            await self.remove(built.record)

    def _groups(self) -> Cgroups:
        if self._cgroups is None:
            self._cgroups = cgroups.find()
        return self._cgroups

    def _name(self, box_id: str) -> str:
        return f"yudai-{self.installation}-{box_id}"
