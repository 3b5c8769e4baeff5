"""Sandboxes by bubblewrap: own namespaces, an overlay over the base, nothing of the host."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from yudai.sandboxes.backends.bubblewrap import mounts, probe
from yudai.sandboxes.backends.bubblewrap.build_sandboxes import BuildRequest, open_build_sandbox
from yudai.sandboxes.backends.bubblewrap.create import Layout, SandboxFactory
from yudai.sandboxes.backends.bubblewrap.host import version_of
from yudai.sandboxes.backends.bubblewrap.identity import Identity
from yudai.sandboxes.backends.bubblewrap.probe import Trial
from yudai.sandboxes.backends.local.backend import LocalBackend, Prepared, Start
from yudai.sandboxes.backends.local.base_build import RECORD, TREE, OpenBuildSandbox
from yudai.sandboxes.backends.local.home import Home
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.network.egress import EgressScope, EgressSockets
from yudai.sandboxes.backends.sandbox import SandboxHandle
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.package_settings import (
    NO_PACKAGES,
    PackageSettings,
    hosts_of,
)
from yudai.sandboxes.backends.toolchain.toolchain import Chosen
from yudai.sandboxes.backends.trees import copy_tree
from yudai.sandboxes.backends.workspace.worktree import Worktree, stamps
from yudai.sandboxes.backends.workspace_patch import Places
from yudai.sandboxes.domain.guarantees import guarantees
from yudai.sandboxes.port import (
    NO_NETWORK,
    WORKSPACE,
    BaseSpec,
    Capabilities,
    NetworkPolicy,
    OnBlocked,
    Phase,
    SandboxLimits,
    ignore_blocked,
)

NAME = "bubblewrap"
_PLACES = Places(git=mounts.GIT, workspace=WORKSPACE, scratch=mounts.SCRATCH)


class BubblewrapBackend(LocalBackend):
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
        dialing: DialSettings | None = None,
    ) -> None:
        """`packages` are for set-up commands; `path` is where a person's programs are.

        `network` says what each phase may reach, `dialing` how; RefusedError for what is no host.
        `overlays=False` makes each workspace a copy, as where the host refuses overlays.
        """
        self._limits = limits or SandboxLimits()
        hosts = (*network.setup, *hosts_of(packages))
        self._network = network.model_copy(update={"setup": hosts})
        self._egress_sockets = EgressSockets(self._network, on_blocked, dialing or DialSettings())
        root = Home(home.absolute())
        self._factory = SandboxFactory(
            root,
            self._egress_sockets,
            limits=self._limits,
            installation=installation,
            overlays=overlays,
        )
        self._packages = packages
        super().__init__(
            NAME,
            root,
            path=path,
            lifetime_s=self._limits.lifetime_s,
            kill=self._factory.kill,
            remove=self._factory.remove,
        )
        self._capabilities: Capabilities | None = None

    async def capabilities(self) -> Capabilities:
        """Guarantees on this host, tried in a real sandbox; an error has a remedy."""
        if self._capabilities is None:
            tools = toolchain.find(None)
            async with self._factory.temporary(NAME, _lay_out_empty, tools) as built:
                host_setup = await self._factory.host_setup()
                trial = Trial(
                    built, host_setup.features, self._limits, self._home.root, self._network
                )
                held = guarantees(await probe.kept(trial))
            version = version_of(host_setup.features.bwrap)
            self._capabilities = Capabilities(
                backend=NAME, guarantees=held, version=f"{NAME} {version}"
            )
        return self._capabilities

    async def close(self) -> None:
        await super().close()
        self._factory.close()

    async def _uid(self) -> int:
        return (await self._factory.host_setup()).features.identity.host_uid

    def _opener(self, spec: BaseSpec, owner: str, chosen: Chosen) -> OpenBuildSandbox:
        return partial(
            open_build_sandbox, self._factory, BuildRequest(spec, owner, chosen, self._packages)
        )

    async def _starter(self, base: Prepared, owner: str, phase: Phase) -> Start:
        overlay = (await self._factory.host_setup()).features.overlay
        frame = await self._factory.frame(base.tools)
        lay_out = partial(_lay_over if overlay else _lay_out_copy, base.folder)
        scope = EgressScope(phase, owner, toolchain.interpreter(base.about.env, base.about.chosen))

        async def start() -> SandboxHandle:
            built = await self._factory.build(owner, lay_out, frame, base=base.key, scope=scope)
            layout = built.layout
            tree = Worktree(layout.written, base.tracked, pristine=layout.pristine)
            return self._sandbox(built.record, built.commands, tree, _PLACES)

        return start


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
