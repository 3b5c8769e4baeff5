"""`kill -9` at any moment: the next sweep leaves no sandbox of the dead, and touches no other.

YUDAI_KILL_ROUNDS says how often; `make chaos` does it a hundred times with each backend.
"""

import asyncio
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.contracts.conftest import alive, make_archive
from tests.e2e.support.sandbox_worker import BASE
from tests.support.clouds import real_engine
from tests.support.clouds.e2b_server import FakeE2B
from tests.support.clouds.fake_prime_sandboxes import KEY
from tests.support.clouds.machine_users import needs_users
from tests.support.clouds.prime_server import prime_server
from tests.support.control_groups import cgroups
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.processes import readable
from yudai.sandboxes.backends.remote.cloud import INSTALLATION
from yudai.sandboxes.port import Backend, BaseSpec, Sandbox
from yudai.settings import Settings
from yudai.wiring.components import installation, open_context
from yudai.wiring.sandboxes import make_backend

ROUNDS = int(os.environ.get("YUDAI_KILL_ROUNDS", "3"))
SEED = os.environ.get("YUDAI_KILL_SEED", "sandboxes")
LONGEST_S = 0.8
WORDS = ("spawn", "spawn", "prepare")
SHARE = 0.25
"""Of all rounds, those which leave something to be reaped, at the least."""
pytestmark = pytest.mark.timeout(120 + 30 * ROUNDS)

Liveness = Callable[[], Collection[str]]
Kill = Callable[[str, Callable[[], Awaitable[None]]], Awaitable[float]]
"""Given what the worker is told, and what to wait for; says how long it worked."""


class Ground(NamedTuple):
    """Where sandboxes of one kind are made, seen from outside."""

    variables: dict[str, str]
    living: Liveness
    """Every sandbox that is there, whoever's it is, and every base that is not whole."""
    is_busy: Callable[[], object] = bool
    """Whether something that was asked for is still on its way."""
    longest_s: float = LONGEST_S


@contextmanager
def _e2b(folder: Path) -> Generator[Ground]:
    with FakeE2B(folder / "e2b") as e2b:
        given = {"E2B_API_KEY": e2b.key, "E2B_TEMPLATE_ID": "base"}
        urls = {"E2B_API_URL": e2b.url, "E2B_SANDBOX_URL": e2b.url}
        many = {"E2B_MAX_SANDBOXES": "100", "E2B_CREATIONS_PER_SECOND": "1000"}
        yield Ground(
            {**given, **urls, **many}, lambda: set(e2b.sandboxes), lambda: e2b.faults.active
        )


@contextmanager
def _prime(folder: Path) -> Generator[Ground]:
    with prime_server(folder / "prime") as prime:

        def living() -> set[str]:
            return {sandbox.id for sandbox in prime.alive}

        given = {"PRIME_API_KEY": KEY, "PRIME_API_BASE_URL": prime.url}
        yield Ground(given, living, lambda: prime.faults.active)


@contextmanager
def _local(folder: Path) -> Generator[Ground]:
    def living() -> set[str]:
        roots = [
            root
            for home in ("ours", "theirs")
            for root in (folder / home, folder / home / "process")
        ]
        sandboxes = {path.name for root in roots for path in root.glob("boxes/*")}
        bases = {path for root in roots for path in root.glob("bases/*") if path.is_dir()}
        return sandboxes | {path.name for path in bases if not (path / "base.json").exists()}

    yield Ground({}, living)


@contextmanager
def _container(folder: Path) -> Generator[Ground]:
    def living() -> set[str]:
        return {name for house in _installations(folder) for name in real_engine.containers(house)}

    def is_busy() -> bool:
        # The engine is a program: what the dead has called goes on.
        return any(alive(f"{INSTALLATION}={house}") for house in _installations(folder))

    try:
        yield Ground({}, living, is_busy, longest_s=4.0)
    finally:
        for house in _installations(folder):
            real_engine.clear(house)


def _installations(folder: Path) -> list[str]:
    """What the databases below are called."""
    names: list[str] = []
    for file in folder.glob("*/yudai.db"):
        with closing(sqlite3.connect(file)) as db:
            names += [name for (name,) in db.execute("SELECT name FROM installations")]
    return names


GROUNDS = {
    "bubblewrap": _local,
    "process": _local,
    "e2b": _e2b,
    "prime": _prime,
    **({"container": _container} if real_engine.is_there() else {}),
}


@asynccontextmanager
async def _house(home: Path, name: str) -> AsyncGenerator[Backend]:
    settings = Settings.at(home)
    async with open_context(settings) as context:
        backend = make_backend(settings, name, store=context.store)
        try:
            source = make_archive(home / "source.tar")
            await backend.prepare(BaseSpec(key=BASE.key, source=source))
            yield backend
        finally:
            await backend.close()


async def _sandbox(backend: Backend) -> Sandbox:
    [sandbox] = await backend.spawn(BASE, 1, owner="mine")
    assert not isinstance(sandbox, SandboxError), sandbox
    return sandbox


async def _settled(ground: Ground) -> None:
    """What was asked for before the kill may still be done."""
    while ground.is_busy():  # noqa: ASYNC110 - another thread's, or another process's
        await asyncio.sleep(0.01)


async def _until_more(ground: Ground, kept: set[str]) -> None:
    while set(ground.living()) <= kept:  # noqa: ASYNC110 - another process's
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs_users if n in ("e2b", "prime") else ()) for n in GROUNDS],
)
@pytest.mark.real_on("prime", "process")
async def test_nothing_is_left_of_the_dead(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    chance = random.Random(f"{SEED}-{name}")  # noqa: S311 - to be repeatable
    home = tmp_path / "ours"
    with GROUNDS[name](tmp_path) as ground:
        for variable, value in ground.variables.items():
            monkeypatch.setenv(variable, value)
        async with _house(home, name) as ours, _house(tmp_path / "theirs", name) as theirs:
            mine, sibling = await _sandbox(ours), await _sandbox(theirs)
            kept = set(ground.living())
            assert len(kept) == 2
            rounds_with_work, longest_s = 0, ground.longest_s
            async with _killing(home, name, ground) as kill:
                for number in range(ROUNDS):
                    # The first spawns, the second prepares, later ones do either.
                    word = ("spawn", "prepare")[number] if number < 2 else chance.choice(WORDS)
                    moment = partial(asyncio.sleep, chance.random() * longest_s)
                    if number == 0:
                        moment = partial(_until_more, ground, kept)
                    took_s = await kill(f"{word} {SEED}-{number}", moment)
                    if number == 0:
                        # However slow this machine is, many of them have made something.
                        longest_s = max(longest_s, 3 * took_s)
                    await _settled(ground)
                    rounds_with_work += bool(set(ground.living()) - kept)
                    await ours.reap()
                    assert set(ground.living()) == kept, f"round {number}: {word}"
            assert rounds_with_work >= SHARE * ROUNDS, "too few rounds left anything to be reaped"
            await theirs.reap()
            for sandbox in (mine, sibling):
                assert (await sandbox.exec("echo lives")).text == "lives\n"
            _look_at_the_host(home, {mine.ref.id})


def _look_at_the_host(home: Path, kept: set[str]) -> None:
    groups = cgroups(f"yudai-{installation(Settings.at(home))}-")
    assert {group.rsplit("-", 1)[1] for group in groups} <= kept
    assert not alive(f"sandbox_worker\0{home}")


@asynccontextmanager
async def _killing(home: Path, name: str, ground: Ground) -> AsyncGenerator[Kill]:
    """Yields what starts a worker and kills it at some moment after it is ready."""
    zygote = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.e2e.support.sandbox_worker", str(home), name),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **ground.variables, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert zygote.stdin is not None
    assert zygote.stdout is not None
    stdin, stdout = zygote.stdin, zygote.stdout

    async def kill(order: str, moment: Callable[[], Awaitable[None]]) -> float:
        stdin.write(f"{order}\n".encode())
        pid = int(await stdout.readline())
        began = time.monotonic()
        await moment()
        worked_s = time.monotonic() - began
        await _end(pid)
        return worked_s

    try:
        yield kill
    finally:
        stdin.close()
        await zygote.wait()


async def _end(pid: int) -> None:
    """Until its last thread is gone: before that its locks are still held."""
    process = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(process, signal.SIGKILL)
        await readable(process)
    finally:
        os.close(process)
