"""The story of a solve with real parts: real sandboxes, real loops, scripted replies."""

import asyncio
import io
import tarfile
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.support.bare_env import bare_env
from tests.support.rows_of_solve import rows_of_solve
from tests.support.servers.databases import on_one_kind
from yudai.arena.attempts import MAX_TAKES
from yudai.arena.flow import SolveFlow
from yudai.arena.open import SolveRequest
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.cli.show.result import exit_code
from yudai.engine.guard import WorkGuard
from yudai.forge.domain.issue import Issue
from yudai.gateway.domain.models import Model, Price, Provider, scripted
from yudai.gateway.port import Call, Completion
from yudai.kit.errors import ConflictError, GatewayError
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.projects.domain.project import Project
from yudai.runs import attempts
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.sandboxes.port import BaseSpec
from yudai.settings import Settings
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.budget import Budget, enter
from yudai.solves.domain.matrix import Matrix
from yudai.verification.case import Measured
from yudai.verification.verify import BaselineRun
from yudai.views import documents
from yudai.views.domain.document import PlaceEntry, SolveDocument
from yudai.wiring.components import scripted_gateway
from yudai.wiring.local_app import App, open_app

# Its queries meet both databases in their own tests, and in those that are marked here.
pytestmark = pytest.mark.real_on("postgresql")

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return 2 * a\n",
    "test_calc.py": "from calc import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n",
    "pytest.ini": "[pytest]\naddopts = --disable-plugin-autoload\n",
}
FIX = "sed -i 's/a - b/a + b/' calc.py"
NEW_TEST = (
    "printf 'from calc import add\\n\\n\\ndef test_add():\\n    assert add(2, 1) == 3\\n'"
    " > test_add.py"
)
_MEASURED: list[BaselineRun] = []
"""What FILES' own tests say."""
PLAN = "<plan>\nfind it\nmend it\n</plan>"


class Broken:
    """A gateway whose models fail in the way that their name says."""

    def __init__(self, scripts: Path) -> None:
        self._scripted = scripted_gateway(scripts)
        self.hanging = asyncio.Event()
        self.failing_calls: dict[str, set[int]] = {}
        """By model: which of its calls fail, counted from 1 over all attempts."""
        self.hanging_calls: dict[str, set[int]] = {}
        self._calls: Counter[str] = Counter()

    def check(self, model: Model) -> None:
        if model.name.startswith("scripted/"):
            self._scripted.check(model)

    async def complete(self, call: Call) -> Completion:
        self._calls[call.model] += 1
        number = self._calls[call.model]
        if number in self.failing_calls.get(call.model, ()):
            raise GatewayError("the endpoint answered 503")
        if number in self.hanging_calls.get(call.model, ()):
            self.hanging.set()
            await asyncio.Event().wait()
        match call.model:
            case "down":
                raise GatewayError("the endpoint answered 503")
            case "buggy":
                raise ValueError("a bug of ours")
            case "hangs":
                self.hanging.set()
                await asyncio.Event().wait()
            case _:
                pass
        return await self._scripted.complete(call)


class Arena:
    def __init__(self, app: App, scripts: Path, gateway: Broken) -> None:
        self.app = app
        self.gateway = gateway
        self._scripts = scripts

    def script(self, name: str, *replies: dict, **more: object) -> str:
        path = self._scripts / f"{name}.yaml"
        path.write_text(yaml.safe_dump({"replies": list(replies), **more}))
        return f"scripted/{name}"

    async def open(
        self, *models: str, files: dict[str, str] = FILES, setup: tuple[str, ...] = (), **more
    ) -> SolveId:
        """Nobody measures FILES again, unless asked to by `measured=None`."""
        base = self._base(files, setup)
        if files == FILES and not setup and "measured" not in more:
            more["measured"] = await self._measured(base)
        budget = Budget.model_validate({"max_steps": 8, **more.pop("budget", {})})
        max_edits = more.pop("max_edits", 5)
        return await self.app.solves.open_solve(
            SolveRequest(
                repo="toy",
                issue=Issue(title="add subtracts", body="add(2, 1) gives 1"),
                base=base,
                entrants=enter(
                    Matrix(models=models, max_edits=(max_edits,)),
                    tuple(map(known, models)),
                    budget,
                ),
                **more,
            )
        )

    async def solve(self, *models: str, **more) -> SolveDocument:
        solve_id = await self.open(*models, **more)
        await self.app.engine.wait(solve_id)
        return await documents.document(self.app.context, solve_id)

    def flow(self, worker_id: WorkerId) -> SolveFlow:
        """The same database and sandboxes in another worker's hands."""
        ours = self.app.engine._flow
        assert isinstance(ours, SolveFlow)
        work_guard = WorkGuard(self.app.context.store)
        supervisor = replace(ours.supervisor, worker_id=worker_id, work_guard=work_guard)
        return replace(ours, worker_id=worker_id, work_guard=work_guard, supervisor=supervisor)

    async def until(self, solve_id: SolveId, kind: str) -> None:
        async with asyncio.timeout(30):
            while not await self._has(solve_id, kind):  # noqa: ASYNC110 - the store tells nobody
                await asyncio.sleep(0.02)

    async def _has(self, solve_id: SolveId, kind: str) -> bool:
        async with self.app.context.store.read() as db:
            return await events.has(db, solve_id, kind)

    async def cancel(self, solve_id: SolveId) -> None:
        """As another process would: the guard of this one notices."""
        await self.app.arena.stopper.cancel(solve_id)
        async with asyncio.timeout(5):
            await self.app.engine.wait(solve_id)

    async def _measured(self, base: BaseSpec) -> Measured:
        preparer = self.app.planner.preparer
        if not _MEASURED:
            ref = await preparer.backend.prepare(base)
            found = await preparer.verifier.baseline(ref, project=Project(), owner="test")
            _MEASURED.append(found)
        [found] = _MEASURED
        log = await preparer.context.artifacts.put(ArtifactKind.BASELINE_LOG, found.log.encode())
        return Measured(plan=found.plan, baseline=found.baseline, log=log)

    def _base(self, files: dict[str, str], setup: tuple[str, ...]) -> BaseSpec:
        archive = self._scripts / f"source-{abs(hash((tuple(files.items()), setup)))}.tar"
        with tarfile.open(archive, "w") as tar:
            for name, text in files.items():
                info = tarfile.TarInfo(name)
                info.size, info.mtime = len(text), 1_750_000_000
                tar.addfile(info, io.BytesIO(text.encode()))
        return BaseSpec(key=archive.stem, source=archive, setup=setup, env=bare_env())


@pytest.fixture
async def arena(tmp_path: Path, database_url: str) -> AsyncIterator[Arena]:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    gateway = Broken(scripts)
    settings = Settings.model_validate(
        {"YUDAI_HOME": tmp_path / "home", "DATABASE_URL": database_url}
    )
    async with open_app(settings, gateway=gateway, retry_delays_s=(0.01,)) as app:
        yield Arena(app, scripts, gateway)
        assert await app.arena.backend.list() == []


def known(name: str) -> Model:
    """A vendor's model costs money, any other is free."""
    if not name.startswith("vendor/"):
        return scripted(name)
    price = Price(input_micros=1_000_000, output_micros=1_000_000)
    return Model(name=name, provider=Provider.OPENROUTER, model_id=name, price=price)


def only(document: SolveDocument) -> PlaceEntry:
    [place] = document.ranking
    return place


def good(arena: Arena) -> str:
    return arena.script("good", {"say": PLAN, "run": [NEW_TEST, FIX]}, {"finish": True})


@pytest.mark.always
async def test_a_proved_fix_is_offered_with_its_artifacts(arena: Arena):
    document = await arena.solve(good(arena), measured=None)
    assert document.solve.state == "awaiting_review"
    assert (only(document).verdict.status, exit_code(document)) == ("passed", 0)
    run_id = RunId(only(document).run_id)
    context = arena.app.context
    assert b'"find it"' in await artifact_of(context, run_id, ArtifactKind.PLAN)
    assert b"+    return a + b" in await artifact_of(context, run_id, ArtifactKind.PATCH)
    assert b"test_add" in await artifact_of(context, run_id, ArtifactKind.TEST_LOG)
    roles = [message.role for message in await documents.messages(context, run_id)]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "tool", "exit"]
    solve_rows = await rows_of_solve(context.store, "")
    row = solve_rows.runs[0]
    assert (row.exit_status, row.steps, row.message_count) == ("Submitted", 2, len(roles))
    assert row.sandbox_id
    assert row.latency_ms > 0
    assert [event.kind for event in solve_rows.events] == [
        "solve.opened", "solve.started", "base.prepared", "baseline.measured", "run.started",
        "run.submitted", "run.judged", "runs.cross_examined", "solve.offered",
    ]  # fmt: skip


@on_one_kind
async def test_a_fix_without_any_proof_is_no_champion_unless_accepted(arena: Arena):
    silent = arena.script("silent", {"run": FIX}, {"finish": True})
    document = await arena.solve(silent)
    assert only(document).verdict.status == "unproved"
    assert (document.solve.champion, document.solve.state) == (None, "completed")
    assert exit_code(document) == 2
    assert only(document).handle in document.reason
    accepted = await arena.solve(silent, require_proof=False)
    assert accepted.solve.champion == only(accepted).run_id
    assert "unproved" in accepted.reason


@on_one_kind
async def test_a_failing_test_of_the_base_is_proof_enough(arena: Arena):
    red = {
        **FILES,
        "test_red.py": "from calc import add\n\n\ndef test_red():\n    assert add(2, 1) == 3\n",
    }
    document = await arena.solve(arena.script("silent", {"run": FIX}, {"finish": True}), files=red)
    assert only(document).verdict.status == "passed"
    assert only(document).verdict.fixed == ("test_red.py::test_red",)


@on_one_kind
async def test_without_tests_a_patch_is_unverified_never_passed(arena: Arena):
    document = await arena.solve(
        arena.script("silent", {"run": FIX}, {"finish": True}), files={"calc.py": FILES["calc.py"]}
    )
    assert only(document).verdict.status == "unverified"
    assert document.solve.champion is None


async def test_what_breaks_one_run_stays_with_it(arena: Arena):
    document = await arena.solve("down", "buggy", good(arena))
    assert document.ranking[0].handle.startswith("good-")
    assert document.solve.champion == document.ranking[0].run_id
    broken = {place.handle.split("-")[0]: place for place in document.ranking[1:]}
    assert {handle: (place.state, place.cause) for handle, place in broken.items()} == {
        "down": ("failed", "model_failed"),
        "buggy": ("failed", "internal"),
    }
    async with arena.app.context.store.read() as db:
        buggy = await runs.get(db, broken["buggy"].run_id)
        down = await runs.get(db, broken["down"].run_id)
        kept = await attempts.of_run(db, down.id)
    # A bug of ours is kept for whoever mends it.
    assert buggy.error == "ValueError('a bug of ours')"
    assert "in complete" in str(buggy.diagnostics["traceback"])
    # The world gets three chances.
    assert (down.attempt, [attempt.number for attempt in kept]) == (3, [1, 2])


@on_one_kind
async def test_patches_that_are_no_answer(arena: Arena):
    document = await arena.solve(
        arena.script("idle", {"run": "ls"}, {"finish": True}),
        arena.script("sly", {"run": "ln -s /etc/passwd secrets"}, {"finish": True}),
    )
    found = {place.handle.split("-")[0]: place for place in document.ranking}
    assert {handle: place.cause for handle, place in found.items()} == {
        "idle": "empty_patch",
        "sly": "patch_refused",
    }
    assert found["idle"].verdict.status == "none"


@on_one_kind
async def test_a_failed_set_up_fails_the_solve_and_says_why(arena: Arena):
    document = await arena.solve(good(arena), setup=("echo no compiler >&2; exit 3",))
    assert document.solve.state == "failed"
    assert "no compiler" in document.reason
    assert only(document).state == "cancelled"
    assert exit_code(document) == 1


@on_one_kind
async def test_the_patch_as_it_stood_at_the_edit_cap_is_verified(arena: Arena):
    later = "sed -i 's/2 \\* a/3 * a/' calc.py"
    document = await arena.solve(
        arena.script(
            "busy", {"run": [NEW_TEST, FIX]}, {"run": later}, {"run": "ls"}, repeat_last=True
        ),
        max_edits=1,
    )
    assert only(document).verdict.status == "passed"
    patch = await artifact_of(arena.app.context, RunId(only(document).run_id), ArtifactKind.PATCH)
    assert b"3 * a" not in patch


@on_one_kind
async def test_the_cost_cap_of_the_solve_ends_it_with_exit_code_3(arena: Arena):
    models = [
        arena.script(f"dear{number}", {"run": "ls", "cost_usd": 0.6}, repeat_last=True)
        for number in (1, 2)
    ]
    limits = {"cost_cap_micros": 1_000_000, "run_cost_cap_micros": 5_000_000, "max_parallel": 2}
    document = await arena.solve(*models, budget=limits)
    assert {place.cause for place in document.ranking} == {"out_of_budget"}
    assert document.solve.cost_usd <= 1.0 + 2 * 0.6
    assert exit_code(document) == 3
    assert "cost cap" in document.reason


@on_one_kind
async def test_the_time_budget_ends_runs_and_keeps_later_ones_from_starting(arena: Arena):
    slow = arena.script("slow", {"run": "sleep 60"}, repeat_last=True)
    document = await arena.solve(slow, slow, budget={"time_budget_s": 3.0, "max_parallel": 1})
    assert {place.cause for place in document.ranking} == {"out_of_time"}
    assert exit_code(document) == 3
    assert document.solve.elapsed_s < 30


@on_one_kind
async def test_above_the_cap_the_rest_are_listed_as_not_started(arena: Arena):
    idle = arena.script("idle", {"finish": True})
    document = await arena.solve(idle, idle, idle, budget={"max_contestants": 2})
    assert len(document.ranking) == 2
    assert len(document.not_started) == 1


@pytest.mark.always
async def test_cancelling_ends_everything_and_keeps_what_was_done(arena: Arena):
    solve_id = await arena.open(good(arena), "hangs", budget={"max_parallel": 2})
    await arena.gateway.hanging.wait()
    await arena.cancel(solve_id)
    document = await documents.document(arena.app.context, solve_id)
    assert document.solve.state == "cancelled"
    assert {place.state for place in document.ranking} <= {"cancelled", "completed"}
    assert await arena.app.arena.backend.list() == []
    with pytest.raises(ConflictError, match="there is nothing to cancel"):
        await arena.app.arena.stopper.cancel(solve_id)


async def test_a_solve_cancelled_before_its_first_step_is_cancelled(arena: Arena):
    solve_id = await arena.open(good(arena))
    await arena.cancel(solve_id)
    document = await documents.document(arena.app.context, solve_id)
    assert document.solve.state == "cancelled"
    assert only(document).state == "cancelled"


async def test_a_cancelled_run_keeps_its_trajectory(arena: Arena):
    talker = arena.script("talker", {"run": "ls"}, {"run": "sleep 60"})
    solve_id = await arena.open(talker)
    while (await rows_of_solve(arena.app.context.store, solve_id)).runs[0].message_count < 5:  # noqa: ASYNC110 - the store tells nobody
        await asyncio.sleep(0.1)
    await arena.cancel(solve_id)
    run = (await rows_of_solve(arena.app.context.store, solve_id)).runs[0]
    trajectory = await documents.trajectory(arena.app.context, run)
    assert len(trajectory["messages"]) >= 5
    assert trajectory["trajectory_format"] == "mini-swe-agent-1.1"
    assert run.latency_ms > 0


@pytest.mark.always
async def test_what_a_dead_process_left_open_is_failed_at_the_next_start(arena: Arena):
    solve_id = await arena.open("hangs")
    await arena.gateway.hanging.wait()
    stopper = arena.app.arena.stopper
    assert await stopper.fail_dead() == 0
    process_died = replace(stopper, is_gone=lambda _host, _pid: True)
    assert await process_died.fail_dead() == 1
    document = await documents.document(arena.app.context, solve_id)
    assert document.solve.state == "failed"
    assert "died" in document.reason
    await arena.app.engine.wait(solve_id)


async def test_what_the_world_broke_is_tried_again_and_the_first_attempt_is_kept(arena: Arena):
    """The endpoint fails in the middle of the first attempt and works from then on."""
    name = arena.script("wobbly", {"run": "ls"}, {"run": [NEW_TEST, FIX]}, {"finish": True})
    arena.gateway.failing_calls[name] = {2}
    document = await arena.solve(name)
    assert only(document).verdict.status == "passed"
    async with arena.app.context.store.read() as db:
        [run] = await runs.of_solve(db, document.solve.id)
        [kept] = await attempts.of_run(db, run.id)
        told = [e.kind for e in await events.after(db, document.solve.id) if e.run_id]
        first = await trajectories.messages(db, run.id, attempt=1)
    assert (kept.number, kept.cause, run.attempt) == (1, "model_failed", 2)
    assert kept.steps >= 1
    assert kept.message_count == len(first) > 0
    assert told == [
        "run.started",
        "run.retried",
        "run.started",
        "run.submitted",
        "run.judged",
    ]


@on_one_kind
async def test_time_that_the_world_took_is_not_held_against_the_contestant(arena: Arena):
    name = arena.script("hasty", {"run": "ls"}, repeat_last=True)
    arena.gateway.failing_calls[name] = {2}
    arena.gateway.hanging_calls[name] = {3}
    document = await arena.solve(name, budget={"run_time_budget_s": 2.0})
    place = only(document)
    assert place.cause == "model_failed"
    async with arena.app.context.store.read() as db:
        run = await runs.get(db, place.run_id)
    assert "answered 503" in run.error
    assert "time budget" in run.error


@pytest.mark.always
async def test_another_worker_goes_on_where_one_was_lost(arena: Arena):
    """The first worker is not dead, only believed to be: what it does then comes to nothing."""
    name = arena.script("slow", {"run": [NEW_TEST, FIX]}, {"finish": True})
    arena.gateway.hanging_calls[name] = {2}
    solve_id = await arena.open(name)
    await arena.gateway.hanging.wait()
    other = arena.flow(WorkerId("another worker"))
    batch = await other.prepare(solve_id)
    [run_id] = batch.runs
    await other.run(run_id)
    await other.conclude(solve_id)
    async with asyncio.timeout(10):
        await arena.app.engine.wait(solve_id)
    document = await documents.document(arena.app.context, solve_id)
    assert (document.solve.state, only(document).verdict.status) == ("awaiting_review", "passed")
    async with arena.app.context.store.read() as db:
        run = await runs.get(db, run_id)
        [kept] = await attempts.of_run(db, run_id)
        kinds = [event.kind for event in await events.after(db, solve_id)]
    assert (run.attempt, run.worker_id) == (2, "another worker")
    assert (kept.cause, kept.number) == ("worker_lost", 1)
    assert kinds.count("solve.resumed") == 1
    assert kinds.count("runs.cross_examined") == kinds.count("solve.offered") == 1


async def test_a_run_that_loses_every_worker_is_given_up(arena: Arena):
    arena.gateway.hanging_calls["scripted/slow"] = {1, 2, 3}
    name = arena.script("slow", {"finish": True})
    solve_id = await arena.open(name)
    await arena.gateway.hanging.wait()
    lost: list[asyncio.Task[None]] = []
    [run_id] = (await arena.flow(WorkerId("w")).prepare(solve_id)).runs
    for number in (2, 3):
        arena.gateway.hanging.clear()
        lost.append(asyncio.create_task(arena.flow(WorkerId(f"worker {number}")).run(run_id)))
        await arena.gateway.hanging.wait()
    await arena.flow(WorkerId("the last one")).run(run_id)
    run = (await rows_of_solve(arena.app.context.store, solve_id)).runs[0]
    assert (run.state, run.cause, run.attempt) == ("failed", "worker_lost", 3)
    for task in lost:
        task.cancel()
    await asyncio.wait(lost)
    await arena.app.engine.wait(solve_id)


@pytest.mark.always
async def test_a_frozen_worker_that_wakes_up_takes_nothing_back(arena: Arena):
    """It was verifying when it froze; another one verifies now, slowly."""
    solve_id = await arena.open(good(arena))
    await arena.until(solve_id, "run.submitted")
    [run_id] = [run.id for run in (await rows_of_solve(arena.app.context.store, solve_id)).runs]
    async with arena.app.context.store.change() as db:
        await runs.change(db, run_id, worker_id=WorkerId("another worker"))
        await solves.change(db, solve_id, worker_id=WorkerId("another worker"))
    async with asyncio.timeout(20):
        await arena.app.engine.wait(solve_id)
    run = (await rows_of_solve(arena.app.context.store, solve_id)).runs[0]
    assert (run.state, run.worker_id) == ("verifying", "another worker")
    other = arena.flow(WorkerId("another worker"))
    await other.run(run_id)
    await other.conclude(solve_id)
    document = await documents.document(arena.app.context, solve_id)
    assert (document.solve.state, only(document).verdict.status) == ("awaiting_review", "passed")


async def test_a_run_that_no_one_ended_is_ended_before_the_ranking(arena: Arena):
    solve_id = await arena.open("hangs")
    await arena.gateway.hanging.wait()
    other = arena.flow(WorkerId("another worker"))
    await other.conclude(solve_id)
    await arena.app.engine.wait(solve_id)
    run = (await rows_of_solve(arena.app.context.store, solve_id)).runs[0]
    assert (run.state, run.cause) == ("failed", "internal")
    assert "gave up on it" in run.error


async def test_a_verification_that_ends_every_worker_is_given_up(arena: Arena):
    solve_id = await arena.open(good(arena))
    await arena.until(solve_id, "run.submitted")
    [run_id] = [run.id for run in (await rows_of_solve(arena.app.context.store, solve_id)).runs]
    now = arena.app.context.clock.now()
    async with arena.app.context.store.change() as db:
        await runs.change(db, run_id, worker_id=WorkerId("dead"))
        await solves.change(db, solve_id, worker_id=WorkerId("dead"))
        for _ in range(MAX_TAKES):
            await events.append(db, solve_id, kind="run.resumed", at=now, run_id=run_id)
    await arena.app.engine.wait(solve_id)
    await arena.flow(WorkerId("another worker")).run(run_id)
    run = (await rows_of_solve(arena.app.context.store, solve_id)).runs[0]
    assert (run.state, run.cause) == ("failed", "worker_lost")


async def test_a_solve_that_ends_every_worker_is_failed(arena: Arena):
    solve_id = await arena.open("hangs")
    await arena.gateway.hanging.wait()
    now = arena.app.context.clock.now()
    async with arena.app.context.store.change() as db:
        for _ in range(MAX_TAKES):
            await events.append(db, solve_id, kind="solve.resumed", at=now)
    batch = await arena.flow(WorkerId("another worker")).prepare(solve_id)
    assert batch.runs == ()
    document = await documents.document(arena.app.context, solve_id)
    assert (document.solve.state, exit_code(document)) == ("failed", 1)
    assert "died" in document.reason
    await arena.app.engine.wait(solve_id)


@on_one_kind
async def test_the_contestants_time_begins_when_they_can(arena: Arena):
    solve_id = await arena.open("hangs", measured=None, budget={"time_budget_s": 100.0})
    await arena.gateway.hanging.wait()
    solve_rows = await rows_of_solve(arena.app.context.store, solve_id)
    measured = next(event.at for event in solve_rows.events if event.kind == "baseline.measured")
    assert solve_rows.solve.deadline_at is not None
    assert abs(solve_rows.solve.deadline_at - measured - 100.0) < 1.0
    await arena.cancel(solve_id)
