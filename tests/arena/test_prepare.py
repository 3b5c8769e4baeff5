"""What set-up printed is kept with the solve, however it ended."""

from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.support.fakes import StillClock
from tests.support.solve_rows import REPORT
from tests.support.updates_client import Scene
from yudai.arena.cancel import Stopper
from yudai.arena.flow import SolveFlow
from yudai.arena.prepare import Preparer
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef, Artifacts
from yudai.artifacts.source_archives import Sources
from yudai.engine.guard import WorkGuard
from yudai.kit.errors import SetupError
from yudai.kit.ids import WorkerId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.sandboxes.port import BaseRef, BaseSpec
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.store import Store
from yudai.testing.domain.report import NO_REPORT, Baseline, TestReport

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

    async def open(self, *setup: str, report: TestReport = REPORT, **changes: Any) -> None:
        base = BaseSpec(key="b", source=Path("source.tar"), setup=setup)
        measured = Baseline(first=report, second=report, command="pytest")
        await self.scene.open(base=base, baseline=measured, **changes)

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


async def run_flow(bench: Bench) -> tuple[SolveRow, list[EventRow], tuple[str, ...]]:
    """Up to the start of the runs: the solve, its timeline, and which runs would start."""
    context = bench.preparer.context
    parts: dict[str, Any] = {
        "context": context,
        "worker_id": WorkerId("w"),
        "work_guard": WorkGuard(bench.store),
        "preparer": bench.preparer,
        "supervisor": SimpleNamespace(retry_delays_s=()),
        "run_verifier": None,
        "concluder": None,
        "stopper": Stopper(bench.store, context.clock),
        "notify": nothing,
        "reply": nothing,
    }
    batch = await SolveFlow(**parts).prepare(bench.scene.id)
    async with bench.store.read() as db:
        solve = await solves.get(db, bench.scene.id)
        return solve, await events.after(db, bench.scene.id), batch.runs


async def nothing(*_: object) -> None:
    """No conversation is told."""


async def test_a_base_of_which_some_could_not_be_run_is_said_before_the_runs(bench: Bench):
    half = REPORT.model_copy(update={"finished": False, "collection_errors": ("b.py",)})
    await bench.open(report=half)
    solve, timeline, starting = await run_flow(bench)
    assert (solve.state, len(starting)) == (SolveState.RUNNING, 2)
    [partial] = [event for event in timeline if event.kind == "baseline.partial"]
    assert "end half-way" in str(partial.data["reason"])
    assert "b.py" in str(partial.data["reason"])
    await run_flow(bench)
    async with bench.store.read() as db:
        assert await events.count(db, bench.scene.id, "baseline.partial", run_id=None) == 1


async def test_a_base_that_can_verify_nothing_ends_the_solve_before_a_run_starts(bench: Bench):
    await bench.open(report=NO_REPORT)
    solve, timeline, starting = await run_flow(bench)
    assert (solve.state, solve.error, starting) == (SolveState.COMPLETED, "", ())
    assert "nothing can be verified: `pytest` ended on the base" in solve.reason
    assert "--test" in solve.reason
    assert "--accept-unproved" in solve.reason
    assert timeline[-1].kind == "solve.abstained"
    async with bench.store.read() as db:
        assert {run.state for run in await runs.of_solve(db, bench.scene.id)} == {
            RunState.CANCELLED
        }


async def test_where_unproved_patches_are_accepted_the_runs_start_all_the_same(bench: Bench):
    await bench.open(report=NO_REPORT, require_proof=False)
    solve, _, starting = await run_flow(bench)
    assert (solve.state, len(starting)) == (SolveState.RUNNING, 2)
