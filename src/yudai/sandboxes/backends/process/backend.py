"""Plain processes of the host, no isolation: only for code that you would run yourself."""

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.disk_watch import DiskWatch
from yudai.sandboxes.backends.environment import setup_variables, variables
from yudai.sandboxes.backends.local.base_build import MADE, RECORD, TREE, OpenSite, Site
from yudai.sandboxes.backends.local.bases import Bases, Builder
from yudai.sandboxes.backends.local.home import BoxRecord, Home, find_shell
from yudai.sandboxes.backends.local.live_sandboxes import Fleet
from yudai.sandboxes.backends.local.processes import kill_and_wait, with_variable
from yudai.sandboxes.backends.process import editable_installs
from yudai.sandboxes.backends.process.commands import MARKER, ProcessCommands, Surroundings
from yudai.sandboxes.backends.sandbox import Box, Parts
from yudai.sandboxes.backends.toolchain import bundled, toolchain
from yudai.sandboxes.backends.toolchain.package_settings import NO_PACKAGES, PackageSettings
from yudai.sandboxes.backends.toolchain.toolchain import Chosen, Toolchain
from yudai.sandboxes.backends.trees import copy_tree
from yudai.sandboxes.backends.workspace.worktree import Worktree, stamps
from yudai.sandboxes.backends.workspace_patch import Places
from yudai.sandboxes.port import (
    NO_NETWORK,
    BaseFacts,
    BaseRef,
    BaseSpec,
    Capabilities,
    Guarantee,
    Leftover,
    NetworkPolicy,
    OnBlocked,
    Phase,
    SandboxLimits,
    SandboxRef,
    ignore_blocked,
)

NAME = "process"

_GUARANTEES = (
    ("files", False, "commands read and write whatever you can"),
    ("environment", False, "yours is not passed on, but commands can look into your processes"),
    ("network", False, "commands have your network"),
    ("processes", False, "killed by session, mark and descent; one that hides all three stays"),
    ("memory", False, "no limit"),
    ("process count", False, "no limit"),
    ("processors", False, "no limit"),
    ("disk", False, "only the workspace is measured"),
    ("time", True, "a command is killed with all that is known to come from it"),
    ("output", True, "capped while it is read; head and tail are kept"),
    ("kernel", False, "the host's own: no wall against its bugs"),
)


class ProcessBackend:
    def __init__(  # noqa: PLR0913 - made like the other local backend
        self,
        home: Path,
        *,
        limits: SandboxLimits | None = None,
        installation: str = "local",
        packages: PackageSettings = NO_PACKAGES,
        path: Sequence[Path] = (),
        network: NetworkPolicy = NO_NETWORK,
        on_blocked: OnBlocked = ignore_blocked,
    ) -> None:
        """`packages` are for set-up commands; `path` is where a person's programs are.

        A network policy cannot be kept here: nothing is ever blocked.
        """
        del network, on_blocked
        self._limits = limits or SandboxLimits()
        self._installation = installation
        self._home = Home(home.absolute() / NAME)
        self._packages = packages
        self._path = tuple(path)
        self._bases = Bases(self._home.bases)
        self._fleet = Fleet(
            NAME,
            self._home,
            kill=self._kill,
            remove=self._remove,
            lifetime_s=self._limits.lifetime_s,
        )

    async def capabilities(self) -> Capabilities:
        return Capabilities(
            backend=NAME,
            isolated=False,
            guarantees=tuple(Guarantee(name=n, holds=h, how=how) for n, h, how in _GUARANTEES),
        )

    async def prepare(self, spec: BaseSpec, *, owner: str = "") -> BaseRef:
        del owner
        toolchain.find(spec.env)
        builder = Builder(
            uid=os.getuid(),
            choose=partial(toolchain.choose, spec, self._path),
            open_site=partial(self._opener, spec),
        )
        await self._bases.prepare(spec, builder, self._home.living)
        return BaseRef(key=spec.key)

    async def setup_log(self, base: BaseRef) -> bytes:
        return await asyncio.to_thread(self._bases.setup_log, base.key)

    async def spawn(
        self,
        base: BaseRef,
        n: int,
        *,
        owner: str,
        phase: Phase = Phase.AGENT,
    ) -> Sequence[Box | SandboxError]:
        del phase
        folder, about = self._bases.folder(base.key), self._bases.load(base.key)
        programs = toolchain.find(about.env, about.chosen, made=self._bases.made(base.key))
        tracked = await self._bases.manifest(base.key)

        async def start() -> Box:
            record = self._home.new_box(owner, base=base.key)
            try:
                copy = self._home.box(record.id) / "workspace"
                await copy_tree(folder / TREE, copy)
                pristine = await asyncio.to_thread(stamps, copy)
                commands = self._commands(record, copy, programs)
            except BaseException:
                await self._remove(record)
                raise
            scratch = self._home.box(record.id) / "scratch"
            places = Places(git=folder / RECORD / "git", workspace=copy, scratch=scratch)
            tree = Worktree(copy, tracked, pristine=pristine)
            look = partial(asyncio.to_thread, tree.changes)
            parts = Parts(commands, look, places, partial(self._fleet.forget, record))
            return Box(self._fleet.ref(record), parts)

        return await self._fleet.start(n, start)

    async def list(self, owner: str | None = None) -> Sequence[SandboxRef]:
        return self._fleet.list(owner)

    async def destroy(self, ref: SandboxRef) -> bool:
        return await self._fleet.destroy(ref)

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        boxes = await self._fleet.reap(dry_run=dry_run)
        return [*boxes, *await self._bases.reap(NAME, self._home.living, dry_run=dry_run)]

    async def bases(self) -> Sequence[BaseFacts]:
        return await self._bases.facts(NAME, self._home.living)

    async def remove_base(self, key: str) -> bool:
        return await self._bases.remove(key, self._home.living)

    async def close(self) -> None:
        """End every box of this process; the backend may be used again after that."""
        await self._fleet.close()

    def _commands(self, record: BoxRecord, workspace: Path, programs: Toolchain) -> ProcessCommands:
        folder = self._home.box(record.id)
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        around = Surroundings(
            folder=folder,
            workspace=workspace,
            env=programs.env,
            variables=self._variables(folder, workspace, programs),
            shell=find_shell(),
            mark=self._mark(record),
        )
        return ProcessCommands(around, disk=DiskWatch(workspace, self._limits.disk_bytes))

    def _variables(self, folder: Path, workspace: Path, programs: Toolchain) -> dict[str, str]:
        programs = bundled.furnish(programs, self._home.tools)
        env = [programs.env / "bin"] if programs.env else []
        scripts = [programs.tools] if programs.tools else []
        words = variables(
            home=str(folder / "home"),
            path=tuple(map(str, [*env, *scripts, *programs.path])),
            env=str(programs.env) if programs.env else None,
            virtual=programs.virtual,
        )
        return words | {"TMPDIR": str(folder / "tmp"), editable_installs.VARIABLE: str(workspace)}

    async def _kill(self, record: BoxRecord) -> None:
        await kill_and_wait(with_variable(f"{MARKER}={self._mark(record)}-".encode()))

    def _mark(self, record: BoxRecord) -> str:
        return f"{self._installation}-{record.id}"

    async def _remove(self, record: BoxRecord) -> bool:
        return await asyncio.to_thread(self._home.remove_box, record.id)

    def _opener(self, spec: BaseSpec, chosen: Chosen) -> OpenSite:
        return partial(self._site, spec, chosen)

    @asynccontextmanager
    async def _site(
        self, spec: BaseSpec, chosen: Chosen, base: Path, *, setup: bool
    ) -> AsyncGenerator[Site]:
        """Without walls a set-up command sees the source and the record anyway."""
        record = self._home.new_box(NAME)
        made = base / MADE if setup and spec.env is None else None
        programs = toolchain.find(spec.env, chosen, made=made)
        if setup:
            programs = _with_uv(programs, self._home.box(record.id) / "setup")
        commands = self._commands(record, base / TREE, programs)
        given = setup_variables(str(programs.env), self._packages.variables) if setup else {}
        try:
            yield Site(commands, str(spec.source.absolute()), str(base / RECORD), given)
            if made is not None:
                await asyncio.to_thread(editable_installs.follow_workspace, made, base / TREE)
        finally:
            await commands.end()
            await self._remove(record)


def _with_uv(programs: Toolchain, folder: Path) -> Toolchain:
    uv = bundled.own_uv()
    if uv is None:
        return programs
    folder.mkdir()
    (folder / "uv").symlink_to(uv)
    return programs._replace(path=(folder, *programs.path))
