"""Processes that make and use sandboxes until they are killed: one for each line it reads.

A line says what to do, `spawn` or `prepare`, and a seed. Imports are paid once: each worker is a
fork, whose process id is printed when it is ready.
"""

import asyncio
import gc
import itertools
import os
import random
import sys
from pathlib import Path

from yudai.kit.errors import SandboxError
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, Sandbox
from yudai.settings import Settings
from yudai.wiring import make_backend, open_context

BASE = BaseRef(key="sample")


def main(home: Path, name: str) -> None:
    # What is logged must not look like a process id.
    ready = os.dup(1)
    os.dup2(2, 1)
    for line in sys.stdin:
        gc.collect()
        if os.fork() == 0:
            try:
                asyncio.run(_work(home, name, *line.split(), ready=ready))
            finally:
                os._exit(1)
        _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


async def _work(home: Path, name: str, what: str, seed: str, *, ready: int) -> None:
    settings = Settings.at(home)
    async with open_context(settings) as context:
        backend = make_backend(settings, name, store=context.store)
        os.write(ready, f"{os.getpid()}\n".encode())
        if what == "prepare":
            await _prepare_for_ever(backend, home, seed)
        else:
            await _spawn_for_ever(backend, seed)


async def _prepare_for_ever(backend: Backend, home: Path, seed: str) -> None:
    """Each has a key of its own: what is there already is not built."""
    for number in itertools.count():
        setup = ("echo made >made; sleep 0.05",)
        await backend.prepare(
            BaseSpec(key=f"{seed}-{number}", source=home / "source.tar", setup=setup)
        )


async def _spawn_for_ever(backend: Backend, seed: str) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeatable
    sandboxes: list[Sandbox] = []
    while True:
        sandboxes += await _spawn(backend, chance.randint(1, 3))
        await sandboxes[0].exec("echo work >made; sleep 0.01")
        if chance.random() < 0.5:
            await sandboxes.pop().destroy()
        while len(sandboxes) > 3:
            await sandboxes.pop(0).destroy()


async def _spawn(backend: Backend, n: int) -> list[Sandbox]:
    made = await backend.spawn(BASE, n, owner=f"worker-{os.getpid()}")
    failed = [sandbox for sandbox in made if isinstance(sandbox, SandboxError)]
    if failed:
        raise failed[0]
    return [sandbox for sandbox in made if not isinstance(sandbox, SandboxError)]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
