"""Builds a base in a remote machine: unpack, set up with a network, seal, snapshot."""

import asyncio
import platform
import re
from pathlib import Path
from typing import NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError
from yudai.sandboxes.backends.environment import SYSTEM_PATH, setup_variables
from yudai.sandboxes.backends.local.base_build import (
    BuildSandbox,
    check_folder,
    look,
    own_step,
    run_setup,
)
from yudai.sandboxes.backends.remote.cloud import Machine
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.backends.toolchain.package_settings import PackageSettings
from yudai.sandboxes.backends.toolchain.toolchain import own_uv
from yudai.sandboxes.backends.warden.protocol import AGENT_HOME, FOLDER, RECORD
from yudai.sandboxes.port import ENV, WORKSPACE, BaseSpec

_SOURCE = f"{FOLDER}/source.tar"
_TOOLS = f"{FOLDER}/tools"
_STEP_S = 300.0
_PART = 32 << 20
_MACHINE = "x86_64"
_UV = re.compile(r"\buv\b")

_HAS_ENV = f"[ -x {ENV}/bin/python ]"
# What the image has there is for repositories that need no set-up.
_NEW_ENV = f"rm -rf {ENV} && mkdir -m 755 {ENV}"
_MEASURE = f"du -xskc {WORKSPACE} {ENV} {FOLDER} 2>/dev/null | tail -n 1"
_TIDY = (
    f"rm -rf {_SOURCE} {_TOOLS} {AGENT_HOME}/.cache; find /tmp -mindepth 1 -delete;"
    f" rmdir {ENV} 2>/dev/null || true"
)


class Built(NamedTuple):
    setup_log: bytes
    size_bytes: int | None


async def construct(
    spec: BaseSpec, machine: Machine, commands: RemoteCommands, packages: PackageSettings
) -> Built:
    """Fill a new machine; afterwards its network is closed."""
    check_folder(spec)
    root = commands.as_root()
    await _furnish(spec, machine, commands)
    await own_step(BuildSandbox(root, _SOURCE, RECORD), "unpack.sh")
    await commands.give()
    await look(BuildSandbox(commands), spec)
    log = b""
    if spec.setup:
        path = f"{ENV}/bin:{_TOOLS}:{SYSTEM_PATH}"
        given = {**_variables(packages), **machine.variables, "PATH": path}
        log = await run_setup(spec, BuildSandbox(commands, variables=given))
    await machine.allow(())
    await own_step(BuildSandbox(root, _SOURCE, RECORD), "seal.sh")
    await commands.seal()
    await _do(commands, _TIDY)
    return Built(log, await _size(commands))


async def _furnish(spec: BaseSpec, machine: Machine, commands: RemoteCommands) -> None:
    if spec.env is None:
        await _do(commands, _NEW_ENV)
    elif (await commands.as_root().exec(_HAS_ENV, cwd="/")).exit_code != 0:
        raise RefusedError(
            f"the sandbox's image has no Python environment at {ENV}:"
            " build it with `yudai sandbox build-template`, or give set-up commands"
        )
    await _bring(spec.source, _SOURCE, machine, commands)
    if any(_UV.search(command) for command in spec.setup):
        await _lend_uv(machine, commands)


async def _lend_uv(machine: Machine, commands: RemoteCommands) -> None:
    """Our set-up commands use it, and few images have it."""
    uv = own_uv()
    has_it = await commands.exec("command -v uv", cwd="/")
    if has_it.exit_code == 0 or uv is None or platform.machine() != _MACHINE:
        return
    if (await commands.exec("uname -m", cwd="/")).text.strip() == _MACHINE:
        await _do(commands, f"mkdir -m 755 {_TOOLS}")
        await _bring(uv, f"{_TOOLS}/uv", machine, commands)
        await _do(commands, f"chmod 755 {_TOOLS}/uv")


def _variables(packages: PackageSettings) -> dict[str, str]:
    """Without settings that name certificates or proxies of this host."""
    files = {str(file) for file in packages.files}
    known = packages.without_proxies().variables
    given = {name: value for name, value in known.items() if value not in files}
    return setup_variables(ENV, given)


async def _bring(source: Path, target: str, machine: Machine, commands: RemoteCommands) -> None:
    """Sent in parts, to limit memory."""
    first = await asyncio.to_thread(_read, source, 0)
    await machine.put(target, first)
    brought, part = len(first), f"{target}.part"
    while more := await asyncio.to_thread(_read, source, brought):
        await machine.put(part, more)
        await _do(commands, f"cat {part} >>{target} && rm {part}")
        brought += len(more)


def _read(source: Path, offset: int) -> bytes:
    try:
        with source.open("rb") as file:
            file.seek(offset)
            return file.read(_PART)
    except OSError as error:
        raise SandboxError(f"cannot read the source: {error}", cause=Cause.SETUP_FAILED) from error


async def _size(commands: RemoteCommands) -> int | None:
    """Size of the base, measured on the machine's disk."""
    measured = await commands.as_root().exec(_MEASURE, cwd="/", timeout_s=_STEP_S)
    said = measured.text.split()
    return int(said[0]) * 1024 if said and said[0].isdecimal() else None


async def _do(commands: RemoteCommands, line: str) -> None:
    result = await commands.as_root().exec(line, cwd="/", timeout_s=_STEP_S)
    if result.exit_code != 0:
        said = result.text.strip().splitlines()[-1:] or ["no reason was given"]
        raise SandboxError(f"the machine could not be prepared: {said[0]}")
