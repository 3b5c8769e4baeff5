"""Creates bubblewrap sandboxes on this host, ends them, and removes their leftovers."""

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.bubblewrap.commands import RunnerCommands
from yudai.sandboxes.backends.bubblewrap.etc import HOSTS
from yudai.sandboxes.backends.bubblewrap.host import HostSetup, find_host_setup
from yudai.sandboxes.backends.bubblewrap.mounts import CONTROL, Frame, Identity
from yudai.sandboxes.backends.local import cgroups
from yudai.sandboxes.backends.local.cgroups import Cgroup, Cgroups, limit_processes, ulimits
from yudai.sandboxes.backends.local.commands import DiskWatch
from yudai.sandboxes.backends.local.home import Home, SandboxRecord
from yudai.sandboxes.backends.local.processes import children, kill_and_wait, program, with_word
from yudai.sandboxes.backends.network.egress import EgressScope, EgressSocket, EgressSockets
from yudai.sandboxes.backends.network.name_watch import Entry, entries_of
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.backends.toolchain.toolchain import Toolchain, furnish
from yudai.sandboxes.backends.workspace.worktree import Stamp
from yudai.sandboxes.port import SandboxLimits

_ATTEMPTS = 200
_PAUSE_S = 0.01


class Layout(NamedTuple):
    """How a sandbox's workspace is mounted, and where the host sees what is written there."""

    mounts: tuple[str, ...]
    written: Path
    pristine: Mapping[str, Stamp] | None = None
    """For a copied workspace: its files before the first command."""


LayOut = Callable[[Identity, Path], Awaitable[Layout]]
"""Lays out a workspace for that user in a new sandbox's folder."""


class Built(NamedTuple):
    record: SandboxRecord
    commands: RunnerCommands
    layout: Layout
    cgroup: Cgroup


class Guard:
    """A shell that kills our sandboxes when our process dies; started with the first sandbox.

    The kernel does that only where a sandbox may be killed by its parent: root's bubblewrap gives
    up that right before its sandbox becomes another user.
    """

    def __init__(self) -> None:
        self._watched: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self, sandbox: str, pid: int) -> None:
        self._watched[sandbox] = pid
        self._tell(f"+ {pid}\n")

    def forget(self, sandbox: str) -> None:
        pid = self._watched.pop(sandbox, None)
        if pid is not None:
            self._tell(f"- {pid}\n")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
            process.wait()

    def _tell(self, line: str) -> None:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = _start_guard()
            line = "".join(f"+ {pid}\n" for pid in self._watched.values())
        if self._process.stdin is not None:
            # If it dies at this moment, the next sandbox starts a new one.
            with suppress(BrokenPipeError):
                os.write(self._process.stdin.fileno(), line.encode())


def _start_guard() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own script
        ["/bin/sh", "-c", package_script("bubblewrap/parent_death.sh")],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )


@dataclass
class SandboxFactory:
    home: Home
    egress_sockets: EgressSockets
    _: KW_ONLY
    limits: SandboxLimits
    installation: str
    overlays: bool
    _entries: tuple[Entry, ...] = field(default_factory=partial(entries_of, HOSTS))
    _host_setup: HostSetup | None = None
    _cgroups: Cgroups | None = None
    _guard: Guard = field(default_factory=Guard)

    async def host_setup(self) -> HostSetup:
        if self._host_setup is None:
            host_setup = await find_host_setup(self.home.lease(), self.home.etc, self.limits)
            overlay = host_setup.features.overlay and self.overlays
            self._host_setup = host_setup._replace(
                features=host_setup.features._replace(overlay=overlay)
            )
        return self._host_setup

    def close(self) -> None:
        """The files it needs are in the lease's folder and are removed with it."""
        self._host_setup = None
        self._guard.close()

    async def frame(self, tools: Toolchain) -> Frame:
        return (await self.host_setup()).frame(furnish(tools, self.home.tools), self.limits)

    async def build(
        self,
        owner: str,
        lay_out: LayOut,
        frame: Frame,
        *,
        base: str = "",
        scope: EgressScope | None = None,
    ) -> Built:
        """Start a sandbox in a new folder, which is removed if the start fails.

        Without `scope` it reaches no host, and lookups of names are not reported.
        """
        host_setup = await self.host_setup()
        groups = self._groups()
        record = self.home.new_sandbox(
            owner, base=base, cgroups=lambda sandbox: groups.names(self._name(sandbox))
        )
        egress: EgressSocket | None = None
        try:
            layout = await lay_out(host_setup.features.identity, self.home.sandbox(record.id))
            control = host_setup.new_control(self.home.sandbox(record.id))
            if scope is not None:
                egress = self.egress_sockets.open(
                    control, scope, seen_as=CONTROL, entries=self._entries
                )
            return await self._build(record, layout, frame, control=control, egress=egress)
        except BaseException:
            if egress is not None:
                await egress.server.close()
            await self.remove(record)
            raise

    async def _build(
        self,
        record: SandboxRecord,
        layout: Layout,
        frame: Frame,
        *,
        control: Path,
        egress: EgressSocket | None,
    ) -> Built:
        host_setup = await self.host_setup()
        cgroup = self._groups().create(self._name(record.id), self.limits)
        # Sandboxes made together are all laid out before the first one starts and takes CPU time.
        await asyncio.sleep(0)
        argv = frame.argv(control, layout.mounts, ulimits(self.limits, cgroup))
        runner = await host_setup.start(argv, control, groups=cgroup.entrances)
        try:
            if host_setup.features.identity.outlives_us:
                self._guard.watch(record.id, runner.pid)
            limit_processes(runner.pid, self.limits, cgroup)
            cgroup.step_back()
        except BaseException:
            await runner.end()
            raise
        disk = DiskWatch(layout.written, self.limits.disk_bytes)
        commands = RunnerCommands(runner, control=control, cgroup=cgroup, disk=disk, egress=egress)
        return Built(record, commands, layout, cgroup)

    async def kill(self, record: SandboxRecord) -> None:
        """Kill a sandbox that another process started: its control groups, or its bubblewrap."""
        above = [
            pid
            for pid in with_word(str(self.home.sandbox(record.id) / "control"))
            if program(pid).startswith("bwrap")
        ]
        inside = [child for pid in above for child in children(pid)]
        await kill_and_wait([*inside, *above, *cgroups.members(record.cgroups)])

    async def remove(self, record: SandboxRecord) -> bool:
        """Remove a dead sandbox's groups and folder; False if they were gone."""
        self._guard.forget(record.id)
        # A group can be removed a moment after its last process is gone.
        for _ in range(_ATTEMPTS):
            if cgroups.remove(record.cgroups):
                break
            await asyncio.sleep(_PAUSE_S)
        return await asyncio.to_thread(self.home.remove_sandbox, record.id)

    @asynccontextmanager
    async def temporary(
        self, owner: str, lay_out: LayOut, tools: Toolchain, *, scope: EgressScope | None = None
    ) -> AsyncGenerator[Built]:
        built = await self.build(owner, lay_out, await self.frame(tools), scope=scope)
        try:
            yield built
        finally:
            await built.commands.end()
            await self.remove(built.record)

    def _groups(self) -> Cgroups:
        if self._cgroups is None:
            self._cgroups = cgroups.find()
        return self._cgroups

    def _name(self, sandbox_id: str) -> str:
        return f"yudai-{self.installation}-{sandbox_id}"
