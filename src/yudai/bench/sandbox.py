"""Cost of a sandbox against the minimum of bubblewrap itself."""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from yudai.bench.setup import archive
from yudai.kit.errors import SandboxError
from yudai.kit.value import Value
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.bubblewrap.host import find_bwraps
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.port import WORKSPACE, BaseRef, BaseSpec, Sandbox

TARGET = 3.0

_FILES = 200
_COMMANDS = 200
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc")


class SandboxBench(Value):
    """Medians and minima over the rounds."""

    n: int
    rounds: int
    ours_ms: float
    """From spawn until `true` has run in each sandbox."""
    ours_min_ms: float
    bare_ms: float
    """The same number of bare `bwrap true` with the same folders, started the same way."""
    bare_min_ms: float
    ratio: float
    target: float = TARGET
    command_ms: float
    """Consecutive `true` commands in a warm sandbox."""


async def measure(home: Path, *, n: int = 32, rounds: int = 5) -> SandboxBench:
    """Ratio within one run. The sides alternate, so that load on the machine affects both."""
    backend = BubblewrapBackend(home / "sandboxes")
    try:
        base = await backend.prepare(
            BaseSpec(key="bench", source=archive(home / "source.tar", _FILES), env=Path(sys.prefix))
        )
        bare = _bare_argv(Path(sys.prefix), home)
        # The first round of each side pays one-time costs.
        await _bare(bare, n)
        await _ours(backend, base, n)
        pairs = [(await _bare(bare, n), await _ours(backend, base, n)) for _ in range(rounds)]
        command_ms = await _command(backend, base)
    finally:
        await backend.close()
    bare_ms, ours_ms = zip(*pairs, strict=True)
    return SandboxBench(
        n=n,
        rounds=rounds,
        ours_ms=round(median(ours_ms), 2),
        ours_min_ms=round(min(ours_ms), 2),
        bare_ms=round(median(bare_ms), 2),
        bare_min_ms=round(min(bare_ms), 2),
        ratio=round(median(ours_ms) / median(bare_ms), 3),
        command_ms=round(command_ms, 3),
    )


def _bare_argv(env: Path, workspace: Path) -> list[str]:
    """Minimal arguments for work on a repository: its files, Python, the system, /proc and /dev."""
    argv = [find_bwraps()[0], "--unshare-all", "--die-with-parent", "--proc", "/proc"]
    argv += ["--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - inside the sandbox
    shown = [*map(Path, _SYSTEM), env, *(place for _, place in toolchain.find(env).binds)]
    for folder in shown:
        if folder.is_symlink():
            argv += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.exists():
            argv += ["--ro-bind", str(folder), str(folder)]
    return [*argv, "--ro-bind", str(workspace), WORKSPACE, "true"]


async def _bare(argv: Sequence[str], n: int) -> float:
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(n):
            group.create_task(_run(argv))
    return (time.perf_counter() - began) * 1000


async def _run(argv: Sequence[str]) -> None:
    process = await asyncio.create_subprocess_exec(*argv, stdin=asyncio.subprocess.DEVNULL)
    if await process.wait() != 0:
        raise SandboxError("bare bubblewrap does not start on this host")


async def _ours(backend: BubblewrapBackend, base: BaseRef, n: int) -> float:
    began = time.perf_counter()
    sandboxes = _all(await backend.spawn(base, n, owner="bench"))
    async with asyncio.TaskGroup() as group:
        for sandbox in sandboxes:
            group.create_task(sandbox.exec("true"))
    elapsed = (time.perf_counter() - began) * 1000
    async with asyncio.TaskGroup() as group:
        for sandbox in sandboxes:
            group.create_task(sandbox.destroy())
    return elapsed


async def _command(backend: BubblewrapBackend, base: BaseRef) -> float:
    [sandbox] = _all(await backend.spawn(base, 1, owner="bench"))
    times: list[float] = []
    for _ in range(_COMMANDS):
        began = time.perf_counter()
        await sandbox.exec("true")
        times.append((time.perf_counter() - began) * 1000)
    await sandbox.destroy()
    return median(times)


def _all(sandboxes: Sequence[Sandbox | SandboxError]) -> list[Sandbox]:
    for sandbox in sandboxes:
        if isinstance(sandbox, SandboxError):
            raise sandbox
    return [sandbox for sandbox in sandboxes if not isinstance(sandbox, SandboxError)]
