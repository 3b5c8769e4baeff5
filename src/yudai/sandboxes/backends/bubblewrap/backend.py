"""Sandboxes by bubblewrap: own namespaces, an overlay over the base, nothing of the host."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap import mounts, probe
from yudai.sandboxes.backends.bubblewrap.create import Layout, SandboxFactory
from yudai.sandboxes.backends.bubblewrap.host import version_of
from yudai.sandboxes.backends.bubblewrap.mounts import Identity
from yudai.sandboxes.backends.bubblewrap.probe import Trial
from yudai.sandboxes.backends.environment import setup_variables
from yudai.sandboxes.backends.local.backend import LocalBackend, Prepared, Start
from yudai.sandboxes.backends.local.base_build import (
    MADE,
    RECORD,
    SCRATCH,
    TREE,
    BuildSandbox,
    OpenBuildSandbox,
)
from yudai.sandboxes.backends.local.home import Home, SandboxRecord
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.network.egress import EgressScope, EgressSockets
from yudai.sandboxes.backends.sandbox import Places, SandboxHandle
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.package_settings import (
    NO_PACKAGES,
    PackageSettings,
    copy_certificates,
    hosts_of,
)
from yudai.sandboxes.backends.toolchain.toolchain import Chosen, Toolchain, own_uv
from yudai.sandboxes.backends.trees import copy_tree, remove_tree
from yudai.sandboxes.backends.workspace.worktree import Worktree, stamps
from yudai.sandboxes.domain.guarantees import guarantees
from yudai.sandboxes.port import (
    ENV,
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
_SOURCE = "/run/source.tar"
_RECORD = "/run/record"
_SETUP = "/run/setup"
_CERTIFICATES = f"{_SETUP}/certificates"
_TMP = "/tmp"  # noqa: S108 - inside the sandbox


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
        super().__init__(NAME, root, path=path, lifetime_s=self._limits.lifetime_s)
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

    async def _kill(self, record: SandboxRecord) -> None:
        await self._factory.kill(record)

    async def _remove(self, record: SandboxRecord) -> bool:
        return await self._factory.remove(record)

    async def _uid(self) -> int:
        return (await self._factory.host_setup()).features.identity.host_uid

    def _opener(self, spec: BaseSpec, owner: str, chosen: Chosen) -> OpenBuildSandbox:
        return partial(self._build_sandbox, spec, owner, chosen)

    @asynccontextmanager
    async def _build_sandbox(
        self, spec: BaseSpec, owner: str, chosen: Chosen, base: Path, *, setup: bool
    ) -> AsyncGenerator[BuildSandbox]:
        """Only set-up has a network; hosts that it blocks are reported for `owner`."""
        if not setup:
            lay_out = partial(_lay_out_record, spec.source, base)
            tools = toolchain.find(spec.env, chosen)
            async with self._factory.temporary(NAME, lay_out, tools) as built:
                yield BuildSandbox(built.commands, _SOURCE, _RECORD)
            return
        scope = EgressScope(Phase.SETUP, owner, toolchain.interpreter(spec.env, chosen))
        made = base / MADE if spec.env is None else None
        tools = _with_uv(toolchain.find(spec.env, chosen, made=made)._replace(closed=False))
        lent = base / "lent"
        try:
            given = await asyncio.to_thread(_lend, self._packages, lent)
            lay_out = partial(_lay_out_setup, base, lent)
            async with self._factory.temporary(NAME, lay_out, tools, scope=scope) as built:
                yield BuildSandbox(built.commands, variables=setup_variables(ENV, given))
        finally:
            await asyncio.to_thread(remove_tree, lent)

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


def _lend(packages: PackageSettings, folder: Path) -> dict[str, str]:
    """Copy the host files that set-up sees into a folder; returns its package settings."""
    folder.mkdir(mode=0o755)
    names = copy_certificates(packages.files, folder / "certificates")
    places = {path: f"{_CERTIFICATES}/{name}" for path, name in names.items()}
    missing = {str(file) for file in packages.files} - places.keys()
    return {
        name: places.get(value, value)
        for name, value in packages.without_proxies().variables.items()
        if value not in missing
    }


def _with_uv(tools: Toolchain) -> Toolchain:
    return tools._replace(path=(Path(_SETUP), *tools.path)) if own_uv() else tools


async def _lay_out_record(source: Path, base: Path, identity: Identity, folder: Path) -> Layout:
    identity.give(base / TREE, base / RECORD)
    copy = await asyncio.to_thread(_copy_source, source, folder)
    tree = mounts.writable(base / TREE)
    record = mounts.writable(base / RECORD, _RECORD)
    return Layout((*tree, *record, *mounts.readable(copy, _SOURCE)), base / TREE)


async def _lay_out_setup(base: Path, lent: Path, identity: Identity, _: Path) -> Layout:
    made, scratch, uv = base / MADE, base / SCRATCH, own_uv()
    identity.give(scratch, scratch / "home", *([made] if made.exists() else []))
    shown = [*mounts.writable(base / TREE), *mounts.writable(scratch, _TMP), "--dir", _SETUP]
    if uv is not None:
        shown += mounts.readable(uv, f"{_SETUP}/uv")
    shown += mounts.readable(lent / "certificates", _CERTIFICATES)
    return Layout(tuple(shown), base)


def _copy_source(source: Path, folder: Path) -> Path:
    """Copy the source so that the sandbox's user can read it, whatever its modes are."""
    copy = folder / "source.tar"
    try:
        shutil.copyfile(source, copy)
    except OSError as error:
        raise SandboxError(f"cannot read the source: {error}", cause=Cause.SETUP_FAILED) from error
    copy.chmod(0o644)
    return copy
