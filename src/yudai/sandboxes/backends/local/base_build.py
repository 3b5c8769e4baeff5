"""The steps of building a base, each in its own sandbox: unpack, set up with a network, seal."""

import asyncio
import shlex
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError, SetupError
from yudai.sandboxes.backends.environment import GIT_ALONE
from yudai.sandboxes.backends.sandbox import Commands
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.backends.trees import remove_tree
from yudai.sandboxes.port import ENV, WORKSPACE, BaseSpec, ExecResult

TREE = "tree"
RECORD = "record"
MADE = "env"
"""Folder of /env, filled by set-up commands."""
SCRATCH = "tmp"
"""Folder of their temporary files: on disk, because downloads are large; removed afterwards."""
LOG = "setup.log"

_OWN_STEP_S = 900.0
_LAST_LINES = 20
_SIGNED = GIT_ALONE | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "Yudai"),
        ("EMAIL", "base@yudai.invalid"),
        ("DATE", "2000-01-01T00:00:00Z"),
    )
}


class BuildSandbox(NamedTuple):
    """A sandbox in which a base is built, and how its commands name things."""

    commands: Commands
    source: str = ""
    record: str = ""
    variables: Mapping[str, str] = {}
    """For set-up commands."""


class OpenBuildSandbox(Protocol):
    def __call__(self, base: Path, *, setup: bool) -> AbstractAsyncContextManager[BuildSandbox]:
        """Open a sandbox over a base's folder.

        The one for set-up commands reaches listed hosts, and has neither source nor record.
        """
        ...


async def build(spec: BaseSpec, folder: Path, open_build_sandbox: OpenBuildSandbox) -> None:
    """Build a base in an empty folder. On errors the caller removes what is there."""
    check_folder(spec)
    for name in (TREE, RECORD):
        (folder / name).mkdir(mode=0o755, parents=True)
    async with open_build_sandbox(folder, setup=False) as build_sandbox:
        await own_step(build_sandbox, "unpack.sh")
        await look(build_sandbox, spec)
        if not spec.setup:
            await own_step(build_sandbox, "seal.sh")
    if spec.setup:
        await _set_up(spec, folder, open_build_sandbox)
        async with open_build_sandbox(folder, setup=False) as build_sandbox:
            await own_step(build_sandbox, "seal.sh")


def check_folder(spec: BaseSpec) -> None:
    place = PurePosixPath(spec.folder)
    if place.is_absolute() or ".." in place.parts:
        raise RefusedError(f"not a folder inside the repository: {spec.folder}")


async def look(build_sandbox: BuildSandbox, spec: BaseSpec) -> None:
    """Whether the programs start in a sandbox, and the folder is there."""
    checks = [("node -e 0", "start Node in a sandbox")] if spec.node else []
    python = build_sandbox.commands.locate(f"{ENV}/bin/python") if spec.env else "python3"
    checks.append((f"{shlex.quote(python)} -c ''", "start Python in a sandbox"))
    for command, what in checks:
        _check(await build_sandbox.commands.exec(command, cwd="/"), what=what)
    found = await build_sandbox.commands.exec(f"[ -d {shlex.quote(f'./{spec.folder}')} ]")
    if found.exit_code != 0:
        message = f"there is no folder {spec.folder!r} in the repository"
        raise SandboxError(message, cause=Cause.SETUP_FAILED)


async def _set_up(spec: BaseSpec, folder: Path, open_build_sandbox: OpenBuildSandbox) -> None:
    if spec.env is None:
        (folder / MADE).mkdir(mode=0o755)
    (folder / SCRATCH / "home").mkdir(mode=0o755, parents=True)
    async with open_build_sandbox(folder, setup=True) as build_sandbox:
        log = await run_setup(spec, build_sandbox)
    await asyncio.to_thread(remove_tree, folder / SCRATCH)
    # An empty one is none.
    with suppress(OSError):
        (folder / MADE).rmdir()
    (folder / LOG).write_bytes(log)


async def run_setup(spec: BaseSpec, build_sandbox: BuildSandbox) -> bytes:
    """Run the commands in order, within one time limit; returns their output."""
    log = b""
    ends = time.monotonic() + spec.setup_timeout_s
    for command in spec.setup:
        result = await build_sandbox.commands.exec(
            command,
            cwd=str(PurePosixPath(WORKSPACE, spec.folder)),
            env=build_sandbox.variables,
            timeout_s=max(ends - time.monotonic(), 0),
        )
        log += b"$ %s\n%s\n" % (command.encode("utf-8", "replace"), result.output)
        try:
            _check(result, what=command, timeout_s=spec.setup_timeout_s)
        except SandboxError as error:
            reason = str(error).partition("\n")[0].encode("utf-8", "replace")
            raise SetupError(str(error), log=log + b"[%s]\n" % reason) from None
    return log


async def own_step(build_sandbox: BuildSandbox, name: str) -> None:
    names = {"SOURCE": build_sandbox.source, "RECORD": build_sandbox.record}
    result = await build_sandbox.commands.exec(
        package_script(name), env=_SIGNED | names, timeout_s=_OWN_STEP_S
    )
    _check(result, what=name, timeout_s=_OWN_STEP_S)


def _check(result: ExecResult, *, what: str, timeout_s: float = 0.0) -> None:
    if result.exit_code == 0 and not result.disk_full:
        return
    how = f"failed with exit code {result.exit_code}"
    if result.timed_out:
        how = f"ran out of time after {timeout_s:g} s"
    elif result.disk_full:
        how = "used more disk than SANDBOX_DISK_MB allows"
    elif result.oom:
        how += ", out of memory (SANDBOX_MEMORY_MB)"
    last = "\n".join(result.text.splitlines()[-_LAST_LINES:])
    raise SandboxError(f"set-up {how}: {what}\n{last}".strip(), cause=Cause.SETUP_FAILED)
