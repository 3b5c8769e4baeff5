"""What set-up printed is kept with the solve, however it ended."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.support.fakes import StillClock
from tests.support.solve_rows import REPORT
from tests.support.updates_client import Scene
from yudai.arena.prepare import Preparer
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef, Artifacts
from yudai.artifacts.source_archives import Sources
from yudai.kit.errors import SetupError
from yudai.sandboxes.port import BaseRef, BaseSpec
from yudai.solves import queries as solves
from yudai.store.store import Store
from yudai.testing.domain.report import Baseline

LOG = b"$ make\nbuilt \xff\n"


class Backend:
    """Prepares at once, or fails as it is told."""

    def __init__(self) -> None:
        self.log = LOG
        self.error: SetupError | None = None

    async def prepare(self, spec: BaseSpec, **_owner: str) -> BaseRef:
        if self.error:
            raise self.error
        return BaseRef(key=spec.key)

    async def setup_log(self, base: BaseRef) -> bytes:
        assert base.key == "b"
        return self.log


class Bench:
    def __init__(self, store: Store, artifacts: Artifacts, folder: Path) -> None:
        self.store = store
        self.scene = Scene(store)
        self.backend = Backend()
        parts: dict[str, Any] = {"verifier": None, "backend": self.backend}
        sources = Sources(artifacts, folder)
        self.artifacts = artifacts
        context = Context(store, artifacts, StillClock())
        self.preparer = Preparer(context=context, sources=sources, **parts)

    async def open(self, *setup: str) -> None:
        base = BaseSpec(key="b", source=Path("source.tar"), setup=setup)
        measured = Baseline(first=REPORT, second=REPORT, command="pytest")
        await self.scene.open(base=base, baseline=measured)

    async def prepare(self) -> None:
        async with self.store.read() as db:
            solve = await solves.get(db, self.scene.id)
        await self.preparer.find(solve)

    async def kept(self) -> bytes | None:
        async with self.store.read() as db:
            refs = await artifact_rows.of_solve(db, self.scene.id)
        ref = refs.get(ArtifactKind.SETUP_LOG)
        return None if ref is None else await self.artifacts.get(ref)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    artifacts = make_artifacts(str(tmp_path / "shared"), home=tmp_path)
    async with await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'db'}") as store:
        yield Bench(store, artifacts, tmp_path)


async def test_it_is_kept_once(bench: Bench):
    await bench.open("make")
    await bench.prepare()
    assert await bench.kept() == LOG
    bench.backend.log = b"of another machine"
    await bench.prepare()
    assert await bench.kept() == LOG


async def test_it_is_kept_of_a_set_up_that_failed(bench: Bench):
    await bench.open("make")
    bench.backend.error = SetupError("set-up failed: make", log=b"$ make\nno compiler\n")
    with pytest.raises(SetupError, match="set-up failed"):
        await bench.prepare()
    assert await bench.kept() == b"$ make\nno compiler\n"


async def test_a_base_whose_log_is_gone_has_none(bench: Bench):
    await bench.open("make")
    bench.backend.log = b""
    await bench.prepare()
    assert await bench.kept() is None


async def test_without_set_up_there_is_none(bench: Bench):
    await bench.open()
    await bench.prepare()
    assert await bench.kept() is None


async def test_a_log_that_cannot_be_kept_does_not_hide_why_set_up_failed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    async def put(*_: object) -> ArtifactRef:
        raise ArtifactError("no room")

    await bench.open("make")
    monkeypatch.setattr(bench.artifacts, "put", put)
    bench.backend.error = SetupError("set-up failed: make", log=LOG)
    with capture_logs() as logs, pytest.raises(SetupError, match="set-up failed"):
        await bench.prepare()
    assert [entry["event"] for entry in logs] == ["setup_log.not_kept"]
