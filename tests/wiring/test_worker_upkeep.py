"""What a worker does besides its work, made as the worker makes it."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from tests.contracts.conftest import make_archive
from tests.support.fakes import HangingGateway
from tests.support.servers.databases import used_home
from tests.support.solve_rows import SOLVE, Ring
from yudai.engine.adapters import host_processes
from yudai.kit.ids import WorkerId
from yudai.sandboxes.database_register import DatabaseRegister
from yudai.sandboxes.port import Backend, BaseSpec, Leftover
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveState
from yudai.wiring import worker
from yudai.wiring.arena import Arena, open_arena
from yudai.wiring.sandboxes import make_backend, make_register
from yudai.wiring.worker import make_rounds, make_upkeep


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in ("SANDBOX_BACKEND", "E2B_API_KEY", "PRIME_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return Settings.at(used_home(tmp_path / "home"))


@pytest.fixture
async def arena(settings: Settings) -> AsyncGenerator[Arena]:
    async with AsyncExitStack() as stack:
        yield await open_arena(settings, HangingGateway(), "process", stack)


async def old_base(settings: Settings, name: str, folder: Path) -> None:
    backend = make_backend(settings, name)
    source = make_archive(settings.home / "source.tar", {"a.txt": b"a"})
    await backend.prepare(BaseSpec(key="old", source=source))
    await backend.close()
    then = time.time() - 2 * settings.bases_max_days * 86_400
    os.utime(folder / "old" / "used", (then, then))


async def test_old_bases_go_also_those_of_backends_that_are_not_in_use(
    arena: Arena, settings: Settings
):
    upkeep = make_upkeep(arena)
    folders = {
        "bubblewrap": settings.home / "bases",
        "process": settings.home / "process" / "bases",
    }
    for name, folder in folders.items():
        await old_base(settings, name, folder)

    for chore in upkeep:
        await chore()

    assert [path for folder in folders.values() for path in folder.iterdir()] == []


class HangingBackend:
    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        del dry_run
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


class NoEngine:
    """Nothing of it is asked for here."""


async def test_a_provider_that_does_not_answer_keeps_no_solve_waiting(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker, "SWEEP_S", 0.05)
    provider = HangingBackend()
    hanging = replace(arena, reaper=Reaper({"e2b": cast("Backend", provider)}))
    rounds = make_rounds(hanging, cast("Any", NoEngine()))
    async with asyncio.timeout(30), AsyncExitStack() as stack:
        for each in rounds:
            await stack.enter_async_context(each)
        await provider.asked.wait()
        await Ring(arena.context).solve(
            None,
            state=SolveState.RUNNING,
            finished_at=None,
            durable=False,
            worker_id=WorkerId("gone"),
        )
        while await _state(arena) is SolveState.RUNNING:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.05)
    assert await _state(arena) is SolveState.FAILED


async def _state(arena: Arena) -> SolveState:
    async with arena.context.store.read() as db:
        return (await solves.get(db, SOLVE)).state


async def test_silence_is_not_all_that_counts_for_sandboxes(arena: Arena):
    register = make_register(arena.context.store)
    assert isinstance(register, DatabaseRegister)
    assert (register.is_gone, register.is_there) == (
        host_processes.is_gone,
        host_processes.is_there,
    )
