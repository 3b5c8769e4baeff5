"""What grows is cut back, and nothing that somebody needs goes with it."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import cast

import pytest
from structlog.testing import capture_logs

from tests.support.fakes import StillClock
from tests.support.solve_rows import Ring
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.source_archives import Sources
from yudai.kit.errors import ConflictError, SandboxError
from yudai.kit.ids import SolveId
from yudai.operations.retention import Evictor, prune_sources, sweep_bases
from yudai.sandboxes.port import Backend, BaseSpec, BaseView
from yudai.sandboxes.reap import SweptBackends
from yudai.solves.domain.states import SolveState
from yudai.store.store import Store

DAY = 86_400.0
NOW = StillClock().now()


class FakeBases:
    """The bases of a backend, and what happens to who removes one."""

    def __init__(self, *bases: BaseView) -> None:
        self.facts = {base.key: base for base in bases}
        self.trouble: dict[str, Exception] = {}

    async def bases(self) -> Sequence[BaseView]:
        return tuple(self.facts.values())

    async def remove_base(self, key: str) -> bool:
        if key in self.trouble:
            raise self.trouble[key]
        return self.facts.pop(key, None) is not None


def base(key: str, *, size: int = 10, days: float = 1, users: int = 0) -> BaseView:
    used_at = NOW - days * DAY
    return BaseView(backend="x", key=key, size_bytes=size, made_at=0, used_at=used_at, users=users)


def evictor(shelf: FakeBases, *, max_bytes: int = 1000, max_days: float = 7) -> Evictor:
    backend = cast("Backend", shelf)
    return Evictor(backend, StillClock(), max_bytes=max_bytes, max_age_s=max_days * DAY)


async def test_what_is_old_or_too_much_goes():
    shelf = FakeBases(
        base("old", days=8), base("a", days=2), base("b"), base("used", days=9, users=1)
    )

    with capture_logs() as logs:
        gone = await evictor(shelf, max_bytes=20).sweep()

    assert [each.key for each in gone] == ["old", "a"]
    assert list(shelf.facts) == ["b", "used"]
    told = [(line["event"], line["key"], line["size_bytes"]) for line in logs]
    assert told == [("base.evicted", "old", 10), ("base.evicted", "a", 10)]


async def test_to_choose_removes_nothing():
    shelf = FakeBases(base("old", days=8))

    assert [each.key for each in await evictor(shelf).choose()] == ["old"]
    assert list(shelf.facts) == ["old"]


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (ConflictError("1 sandbox stands on base a"), "info"),
        (SandboxError("the provider does not answer"), "warning"),
        (PermissionError(1, "Operation not permitted"), "warning"),
    ],
)
async def test_one_that_cannot_go_keeps_no_other(error: Exception, level: str):
    shelf = FakeBases(base("a", days=9), base("b", days=8))
    shelf.trouble["a"] = error

    with capture_logs() as logs:
        gone = await evictor(shelf).sweep()

    assert [each.key for each in gone] == ["b"]
    assert list(shelf.facts) == ["a"]
    assert (logs[0]["event"], logs[0]["log_level"], logs[0]["why"]) == (
        *("base.not_evicted", level),
        str(error),
    )


async def test_one_that_another_process_removed_first_is_not_reported():
    shelf = FakeBases(base("a", days=9))
    facts = await shelf.bases()
    shelf.facts.clear()

    async def bases() -> Sequence[BaseView]:
        return facts

    shelf.bases = bases
    assert await evictor(shelf).sweep() == ()


class BrokenBases(FakeBases):
    async def bases(self) -> Sequence[BaseView]:
        raise SandboxError("the key is wrong")


class SilentBases(FakeBases):
    async def bases(self) -> Sequence[BaseView]:
        await asyncio.Event().wait()
        raise AssertionError


async def test_every_backend_that_there_is_at_the_moment_is_swept():
    there: dict[str, FakeBases] = {"broken": BrokenBases(), "silent": SilentBases()}

    async def find() -> SweptBackends:
        return SweptBackends(cast("dict[str, Backend]", there))

    def make(backend: Backend) -> Evictor:
        return evictor(cast("FakeBases", backend))

    await sweep_bases(find, make, patience_s=0.2)
    there["late"] = FakeBases(base("old", days=8), base("young"))
    with capture_logs() as logs:
        await sweep_bases(find, make, patience_s=0.2)

    assert list(there["late"].facts) == ["young"]
    assert [(line["event"], line["backend"]) for line in logs] == [
        ("bases.not_swept", "broken"),
        ("bases.not_swept", "silent"),
        ("base.evicted", "x"),
    ]


class Yard:
    def __init__(self, store: Store, home: Path) -> None:
        artifacts = make_artifacts(None, home=home)
        clock = StillClock()
        self.context = Context(store=store, artifacts=artifacts, clock=clock)
        self.ring = Ring(self.context)
        self.folder = home / "sources"

    def archive(self, name: str, *, days: float) -> Path:
        self.folder.mkdir(exist_ok=True)
        (self.folder / name).write_bytes(b"archive")
        then = NOW - days * DAY
        os.utime(self.folder / name, (then, then))
        return self.folder / name

    async def prune(self) -> int:
        sources = Sources(self.context.artifacts, self.folder)
        return await prune_sources(sources, self.context, max_age_s=7 * DAY)

    def left(self) -> set[str]:
        return {file.name for file in self.folder.iterdir()}


@pytest.fixture
async def yard(database_url: str, tmp_path: Path) -> AsyncIterator[Yard]:
    async with await Store.open(database_url) as store:
        yield Yard(store, tmp_path)


async def test_archives_that_no_solve_needs_go_when_they_are_old(yard: Yard):
    assert await yard.prune() == 0
    yard.archive("young.tar", days=6)
    assert await yard.prune() == 0
    yard.archive(".part-x", days=8)
    for number, state in enumerate(SolveState):
        source = yard.archive(f"{state}.tar", days=8)
        await yard.ring.solve(
            id=SolveId(f"0190a000-0000-7000-8000-00000000000{number}"),
            state=state,
            base=BaseSpec(key="k", source=source),
        )

    assert await yard.prune() == 4

    assert yard.left() == {"young.tar", "queued.tar", "running.tar", "awaiting_review.tar"}
    assert await yard.prune() == 0
