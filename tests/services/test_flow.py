"""The story of a solve with real parts: real sandboxes, real loops, scripted replies."""

import asyncio
import io
import tarfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from yudai import demo
from yudai.adapters.clock import SystemClock
from yudai.adapters.engines.in_process import InProcessEngine
from yudai.cli.render import exit_code
from yudai.domain.budget import Budget
from yudai.domain.document import PlaceEntry, SolveDocument
from yudai.domain.errors import ConflictError, GatewayError, RefusedError
from yudai.domain.ids import RunId, SolveId
from yudai.domain.issue import Issue
from yudai.domain.matrix import Matrix
from yudai.domain.models import Model, Price, Provider, scripted
from yudai.ports.artifacts import ArtifactKind
from yudai.ports.gateway import Call, Completion
from yudai.ports.sandbox import BaseSpec
from yudai.services.solves import SolveRequest
from yudai.services.stopping import Stopper
from yudai.settings import Settings
from yudai.wiring import App, open_app, scripted_gateway

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
PLAN = "<plan>\nfind it\nmend it\n</plan>"


class Broken:
    """A gateway whose models fail in the way that their name says."""

    def __init__(self, scripts: Path) -> None:
        self._scripted = scripted_gateway(scripts)
        self.hanging = asyncio.Event()

    def check(self, model: Model) -> None:
        if model.name.startswith("scripted/"):
            self._scripted.check(model)

    async def complete(self, call: Call) -> Completion:
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
        budget = Budget.model_validate({"max_steps": 8, **more.pop("budget", {})})
        max_edits = more.pop("max_edits", 5)
        return await self.app.solves.open_solve(
            SolveRequest(
                repo="toy",
                issue=Issue(title="add subtracts", body="add(2, 1) gives 1"),
                base=self._base(files, setup),
                matrix=Matrix(models=models, max_edits=(max_edits,)),
                budget=budget,
                models=tuple(map(known, models)),
                **more,
            )
        )

    async def solve(self, *models: str, **more) -> SolveDocument:
        solve_id = await self.open(*models, **more)
        await self.app.engine.wait(solve_id)
        return await self.app.reader.document(solve_id)

    def _base(self, files: dict[str, str], setup: tuple[str, ...]) -> BaseSpec:
        archive = self._scripts / f"source-{abs(hash((tuple(files.items()), setup)))}.tar"
        with tarfile.open(archive, "w") as tar:
            for name, text in files.items():
                info = tarfile.TarInfo(name)
                info.size, info.mtime = len(text), 1_750_000_000
                tar.addfile(info, io.BytesIO(text.encode()))
        env = demo.base(self._scripts).env
        return BaseSpec(key=archive.stem, source=archive, setup=setup, env=env)


@pytest.fixture
async def arena(tmp_path: Path, database_url: str) -> AsyncIterator[Arena]:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    gateway = Broken(scripts)
    settings = Settings.model_validate(
        {"YUDAI_HOME": tmp_path / "home", "DATABASE_URL": database_url}
    )
    async with open_app(settings, gateway=gateway) as app:
        yield Arena(app, scripts, gateway)
        assert await app.backend.list() == []


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


async def test_a_proved_fix_is_offered_with_its_artifacts(arena: Arena):
    document = await arena.solve(good(arena))
    assert document.solve.state == "awaiting_review"
    assert (only(document).verdict.status, exit_code(document)) == ("passed", 0)
    run_id = RunId(only(document).run_id)
    reader = arena.app.reader
    assert b'"find it"' in await reader.artifact(run_id, ArtifactKind.PLAN)
    assert b"+    return a + b" in await reader.artifact(run_id, ArtifactKind.PATCH)
    assert b"test_add" in await reader.artifact(run_id, ArtifactKind.TEST_LOG)
    roles = [message.role for message in await reader.messages(run_id)]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "tool", "exit"]
    row = (await reader.race("")).runs[0]
    assert (row.exit_status, row.steps, row.message_count) == ("Submitted", 2, len(roles))
    assert row.sandbox_id
    assert row.latency_ms > 0


async def test_the_timeline_tells_the_story_in_order(arena: Arena):
    await arena.solve(good(arena))
    kinds = [event.kind for event in (await arena.app.reader.race("")).events]
    assert kinds == [
        "solve.opened", "solve.started", "base.prepared", "baseline.measured", "run.started",
        "run.submitted", "run.judged", "runs.cross_examined", "solve.offered",
    ]  # fmt: skip


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


async def test_a_failing_test_of_the_base_is_proof_enough(arena: Arena):
    red = {
        **FILES,
        "test_red.py": "from calc import add\n\n\ndef test_red():\n    assert add(2, 1) == 3\n",
    }
    document = await arena.solve(arena.script("silent", {"run": FIX}, {"finish": True}), files=red)
    assert only(document).verdict.status == "passed"
    assert only(document).verdict.fixed == ("test_red.py::test_red",)


async def test_without_tests_a_patch_is_unverified_never_passed(arena: Arena):
    document = await arena.solve(
        arena.script("silent", {"run": FIX}, {"finish": True}), files={"calc.py": FILES["calc.py"]}
    )
    assert only(document).verdict.status == "unverified"
    assert document.solve.champion is None


@pytest.mark.parametrize(("model", "cause"), [("down", "model_failed"), ("buggy", "internal")])
async def test_what_breaks_one_run_stays_with_it(arena: Arena, model: str, cause: str):
    document = await arena.solve(model, good(arena))
    broken = next(place for place in document.ranking if place.state == "failed")
    assert broken.cause == cause
    assert document.ranking[0].handle.startswith("good-")
    assert document.solve.champion == document.ranking[0].run_id


async def test_a_bug_of_ours_is_kept_for_whoever_mends_it(arena: Arena):
    await arena.solve("buggy")
    row = (await arena.app.reader.race("")).runs[0]
    assert row.error == "ValueError('a bug of ours')"
    assert "in complete" in str(row.diagnostics["traceback"])


async def test_an_empty_patch_is_no_answer(arena: Arena):
    document = await arena.solve(arena.script("idle", {"run": "ls"}, {"finish": True}))
    assert only(document).cause == "empty_patch"
    assert only(document).verdict.status == "none"


async def test_a_patch_that_leads_outside_is_refused(arena: Arena):
    document = await arena.solve(
        arena.script("sly", {"run": "ln -s /etc/passwd secrets"}, {"finish": True})
    )
    assert only(document).cause == "patch_refused"


async def test_a_failed_set_up_fails_the_solve_and_says_why(arena: Arena):
    document = await arena.solve(good(arena), setup=("echo no compiler >&2; exit 3",))
    assert document.solve.state == "failed"
    assert "no compiler" in document.reason
    assert only(document).state == "cancelled"
    assert exit_code(document) == 1


async def test_the_patch_as_it_stood_at_the_edit_cap_is_verified(arena: Arena):
    later = "sed -i 's/2 \\* a/3 * a/' calc.py"
    document = await arena.solve(
        arena.script(
            "busy", {"run": [NEW_TEST, FIX]}, {"run": later}, {"run": "ls"}, repeat_last=True
        ),
        max_edits=1,
    )
    assert only(document).verdict.status == "passed"
    patch = await arena.app.reader.artifact(RunId(only(document).run_id), ArtifactKind.PATCH)
    assert b"3 * a" not in patch


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


async def test_the_time_budget_ends_runs_and_keeps_later_ones_from_starting(arena: Arena):
    slow = arena.script("slow", {"run": "sleep 60"}, repeat_last=True)
    document = await arena.solve(slow, slow, budget={"time_budget_s": 3.0, "max_parallel": 1})
    assert {place.cause for place in document.ranking} == {"out_of_time"}
    assert exit_code(document) == 3
    assert document.solve.elapsed_s < 30


async def test_above_the_cap_the_rest_are_listed_as_not_started(arena: Arena):
    idle = arena.script("idle", {"finish": True})
    document = await arena.solve(idle, idle, idle, budget={"max_contestants": 2})
    assert len(document.ranking) == 2
    assert len(document.not_started) == 1


async def test_cancelling_ends_everything_and_keeps_what_was_done(arena: Arena):
    solve_id = await arena.open(good(arena), "hangs", budget={"max_parallel": 2})
    await arena.gateway.hanging.wait()
    await arena.app.solves.cancel_solve(solve_id)
    document = await arena.app.reader.document(solve_id)
    assert document.solve.state == "cancelled"
    assert {place.state for place in document.ranking} <= {"cancelled", "completed"}
    assert await arena.app.backend.list() == []
    with pytest.raises(ConflictError, match="has ended already"):
        await arena.app.solves.cancel_solve(solve_id)


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        ("vendor/model", {"budget": {"cost_cap_micros": 0}}, "costs money"),
        ("scripted/none", {}, "there is no script"),
        ("vendor/model", {"reducer": "best"}, "there is no reducer"),
    ],
)
async def test_a_bad_request_is_refused_before_anything_is_written(
    arena: Arena, model: str, more: dict, words: str
):
    with pytest.raises(RefusedError, match=words):
        await arena.open(model, **more)
    assert await arena.app.reader.recent(10) == []


async def test_a_solve_cancelled_before_its_first_step_is_cancelled(arena: Arena):
    solve_id = await arena.open(good(arena))
    await arena.app.solves.cancel_solve(solve_id)
    document = await arena.app.reader.document(solve_id)
    assert document.solve.state == "cancelled"
    assert only(document).state == "cancelled"


async def test_a_cancelled_run_keeps_its_trajectory(arena: Arena):
    talker = arena.script("talker", {"run": "ls"}, {"run": "sleep 60"})
    solve_id = await arena.open(talker)
    while (await arena.app.reader.race(solve_id)).runs[0].message_count < 5:  # noqa: ASYNC110 - the store tells nobody
        await asyncio.sleep(0.02)
    await arena.app.solves.cancel_solve(solve_id)
    run = (await arena.app.reader.race(solve_id)).runs[0]
    trajectory = await arena.app.reader.trajectory(run)
    assert len(trajectory["messages"]) >= 5
    assert trajectory["trajectory_format"] == "mini-swe-agent-1.1"
    assert run.latency_ms > 0


async def test_what_a_dead_process_left_open_is_failed_at_the_next_start(
    arena: Arena, tmp_path: Path
):
    solve_id = await arena.open("hangs")
    await arena.gateway.hanging.wait()
    later = Later()
    stopper = Stopper(arena.app.store, later)
    assert await stopper.bury_dead(arena.app.engine) == 0
    dead = InProcessEngine(never, tmp_path / "elsewhere")
    assert await stopper.bury_dead(dead) == 1
    document = await arena.app.reader.document(solve_id)
    assert document.solve.state == "failed"
    assert "died" in document.reason
    await arena.app.engine.cancel(solve_id)


class Later(SystemClock):
    def now(self) -> float:
        return super().now() + 3600


async def never(_: SolveId) -> None:
    raise AssertionError
