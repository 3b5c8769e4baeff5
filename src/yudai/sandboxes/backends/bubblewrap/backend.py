"""Sandboxes by bubblewrap: own namespaces, an overlay over the base, nothing of the host."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap import mounts, probe
from yudai.sandboxes.backends.bubblewrap.build_sandboxes import Sites
from yudai.sandboxes.backends.bubblewrap.create import Built, Layout, Workshop
from yudai.sandboxes.backends.bubblewrap.host import version_of
from yudai.sandboxes.backends.bubblewrap.identity import Identity
from yudai.sandboxes.backends.bubblewrap.probe import Trial
from yudai.sandboxes.backends.local.base_build import RECORD, TREE
from yudai.sandboxes.backends.local.bases import Bases, Builder
from yudai.sandboxes.backends.local.home import Home
from yudai.sandboxes.backends.local.live_sandboxes import Fleet
from yudai.sandboxes.backends.network.dial import Ways
from yudai.sandboxes.backends.network.egress import Outlets, Reach
from yudai.sandboxes.backends.sandbox import Box, Parts
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.package_settings import (
    NO_PACKAGES,
    PackageSettings,
    hosts_of,
)
from yudai.sandboxes.backends.trees import copy_tree
from yudai.sandboxes.backends.workspace.manifest import Manifest
from yudai.sandboxes.backends.workspace.worktree import Worktree, stamps
from yudai.sandboxes.backends.workspace_patch import Places
from yudai.sandboxes.port import (
    NO_NETWORK,
    WORKSPACE,
    BaseFacts,
    BaseRef,
    BaseSpec,
    Capabilities,
    Leftover,
    NetworkPolicy,
    OnBlocked,
    Phase,
    SandboxLimits,
    SandboxRef,
    ignore_blocked,
)

NAME = "bubblewrap"
_PLACES = Places(git=mounts.GIT, workspace=WORKSPACE, scratch=mounts.SCRATCH)


class BubblewrapBackend:
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        home: Path,
        *,
        limits: SandboxLimits | None = None,
        installation: str = "local",
        packages: PackageSettings = NO_PACKAGES,
        path: Sequence[Path] = (),
        overlays: bool = True,
        network: NetworkPolicy = NO_NETWORK,
        on_blocked: OnBlocked = ignore_blocked,
        ways: Ways | None = None,
    ) -> None:
        """`packages` are for set-up commands; `path` is where a person's programs are.

        `network` says what each phase may reach, and `ways` how; RefusedError for what is no host.
        `overlays=False` makes each workspace a copy, as where the host refuses overlays.
        """
        self._limits = limits or SandboxLimits()
        self._path = tuple(path)
        self._home = Home(home.absolute())
        self._bases = Bases(self._home.bases)
        hosts = (*network.setup, *hosts_of(packages))
        self._network = network.model_copy(update={"setup": hosts})
        self._outlets = Outlets(self._network, on_blocked, ways or Ways())
        self._workshop = Workshop(
            self._home,
            self._outlets,
            limits=self._limits,
            installation=installation,
            overlays=overlays,
        )
        self._sites = Sites(self._workshop, packages)
        self._fleet = Fleet(
            NAME,
            self._home,
            kill=self._workshop.kill,
            remove=self._workshop.remove,
            lifetime_s=self._limits.lifetime_s,
        )
        self._capabilities: Capabilities | None = None

    async def capabilities(self) -> Capabilities:
        """What holds on this host, tried in a real box; raise with the remedy when none starts."""
        if self._capabilities is None:
            tools = toolchain.find(None)
            async with self._workshop.temporary(NAME, _lay_out_empty, tools) as built:
                ground = await self._workshop.ground()
                trial = Trial(built, ground.features, self._limits, self._home.root, self._network)
                guarantees = await probe.guarantees(trial)
            version = version_of(ground.features.bwrap)
            self._capabilities = Capabilities(
                backend=NAME, isolated=True, guarantees=guarantees, version=f"{NAME} {version}"
            )
        return self._capabilities

    async def prepare(self, spec: BaseSpec, *, owner: str = "") -> BaseRef:
        toolchain.find(spec.env)
        builder = Builder(
            uid=(await self._workshop.ground()).features.identity.host_uid,
            choose=partial(toolchain.choose, spec, self._path),
            open_site=partial(self._sites.opener, spec, owner),
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
        folder, about = self._bases.folder(base.key), self._bases.load(base.key)
        tools = toolchain.find(about.env, about.chosen, made=self._bases.made(base.key))
        tracked = await self._bases.manifest(base.key)
        overlay = (await self._workshop.ground()).features.overlay
        frame = await self._workshop.frame(tools)
        lay_out = partial(_lay_over if overlay else _lay_out_copy, folder)
        reach = Reach(phase, owner, toolchain.interpreter(about.env, about.chosen))

        async def start() -> Box:
            built = await self._workshop.build(owner, lay_out, frame, base=base.key, reach=reach)
            return self._box(built, tracked)

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
        self._workshop.close()

    def _box(self, built: Built, tracked: Manifest) -> Box:
        layout = built.layout
        tree = Worktree(layout.written, tracked, pristine=layout.pristine)
        remove = partial(self._fleet.forget, built.record)
        look = partial(asyncio.to_thread, tree.changes)
        parts = Parts(built.commands, look, _PLACES, remove)
        return Box(self._fleet.ref(built.record), parts)


async def _lay_out_empty(identity: Identity, folder: Path) -> Layout:
    (folder / "empty").mkdir(mode=0o755)
    identity.give(folder / "empty")
    return Layout(mounts.writable(folder / "empty"), folder / "empty")


async def _lay_over(base: Path, identity: Identity, folder: Path) -> Layout:
    upper, work = folder / "upper", folder / "work"
    upper.mkdir(mode=0o755)
    work.mkdir(mode=0o755)
    identity.give(upper, work)
    return Layout((*mounts.overlay(base / TREE, upper, work), *_git(base)), upper)


async def _lay_out_copy(base: Path, _: Identity, folder: Path) -> Layout:
    copy = folder / "copy"
    await copy_tree(base / TREE, copy)
    pristine = await asyncio.to_thread(stamps, copy)
    return Layout((*mounts.writable(copy), *_git(base)), copy, pristine)


def _git(base: Path) -> tuple[str, ...]:
    return mounts.readable(base / RECORD / "git", mounts.GIT)
