"""The sandboxes in which bubblewrap builds a base: only the one for set-up has a network."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap import mounts
from yudai.sandboxes.backends.bubblewrap.create import Layout, SandboxFactory
from yudai.sandboxes.backends.bubblewrap.identity import Identity
from yudai.sandboxes.backends.environment import setup_variables
from yudai.sandboxes.backends.local.base_build import MADE, RECORD, SCRATCH, TREE, BuildSandbox
from yudai.sandboxes.backends.network.egress import EgressScope
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.bundled import own_uv
from yudai.sandboxes.backends.toolchain.certificates import copy_certificates
from yudai.sandboxes.backends.toolchain.package_settings import PackageSettings
from yudai.sandboxes.backends.toolchain.toolchain import Chosen, Toolchain
from yudai.sandboxes.backends.trees import remove_tree
from yudai.sandboxes.port import ENV, BaseSpec, Phase

_OWNER = "bubblewrap"
_SOURCE = "/run/source.tar"
_RECORD = "/run/record"
_SETUP = "/run/setup"
_CERTIFICATES = f"{_SETUP}/certificates"
_TMP = "/tmp"  # noqa: S108 - inside the sandbox


class BuildRequest(NamedTuple):
    """A base to build; hosts blocked during set-up are reported for `owner`."""

    spec: BaseSpec
    owner: str
    chosen: Chosen
    packages: PackageSettings


def open_build_sandbox(
    factory: SandboxFactory, request: BuildRequest, base: Path, *, setup: bool
) -> AbstractAsyncContextManager[BuildSandbox]:
    return (_for_setup if setup else _for_ourselves)(factory, request, base)


@asynccontextmanager
async def _for_ourselves(
    factory: SandboxFactory, request: BuildRequest, base: Path
) -> AsyncGenerator[BuildSandbox]:
    lay_out = partial(_lay_out_record, request.spec.source, base)
    tools = toolchain.find(request.spec.env, request.chosen)
    async with factory.temporary(_OWNER, lay_out, tools) as built:
        yield BuildSandbox(built.commands, _SOURCE, _RECORD)


@asynccontextmanager
async def _for_setup(
    factory: SandboxFactory, request: BuildRequest, base: Path
) -> AsyncGenerator[BuildSandbox]:
    env, chosen = request.spec.env, request.chosen
    scope = EgressScope(Phase.SETUP, request.owner, toolchain.interpreter(env, chosen))
    made = base / MADE if env is None else None
    tools = _with_uv(toolchain.find(env, chosen, made=made)._replace(closed=False))
    lent = base / "lent"
    try:
        variables = setup_variables(ENV, await asyncio.to_thread(_lend, request.packages, lent))
        lay_out = partial(_lay_out_setup, base, lent)
        async with factory.temporary(_OWNER, lay_out, tools, scope=scope) as built:
            yield BuildSandbox(built.commands, variables=variables)
    finally:
        await asyncio.to_thread(remove_tree, lent)


def _lend(packages: PackageSettings, folder: Path) -> dict[str, str]:
    """Put what set-up sees of the host into a folder; returns its package settings."""
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
