"""Patches judged from the request to the applied champion, with real git and real sandboxes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.bare_env import bare_env
from tests.support.forge.repositories import Repository, look
from tests.support.rows_of_solve import rows_of_solve
from tests.support.servers.databases import on_one_kind
from yudai.arena.open import SolveRequest
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.runs.tables import RunRow
from yudai.settings import Settings
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.matrix import author_of
from yudai.solves.domain.request import Limits, SolveAsk
from yudai.views import documents
from yudai.wiring.components import scripted_gateway
from yudai.wiring.local_app import App, open_app

CALC = "def add(a, b):\n    return a - b\n\n\ndef sign(a):\n    return a > 0\n"
FILES = {
    "pytest.ini": "[pytest]\n",
    "calc.py": CALC,
    "test_calc.py": "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
}
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 1) == 3\n"
RIGHT = {"calc.py": CALC.replace("a - b", "a + b"), "test_add.py": TEST}
WRONG = {"calc.py": CALC.replace("a - b", "a * b")}
OUTSIDE = (
    "diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n"
    "@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
)


class Judged:
    def __init__(self, app: App, repository: Repository) -> None:
        self.app = app
        self.repository = repository

    def text(self, files: dict[str, Any]) -> str:
        return self.repository.patch(files).decode()

    def ask(self, *patches: dict[str, Any], **more: Any) -> SolveAsk:
        body = {
            "repo_path": str(self.repository.root),
            "issue_text": "add subtracts",
            "env": str(bare_env()),
            "patches": patches,
            "limits": Limits(time_budget_s=0.001, run_time_budget_s=0.001),
        }
        return SolveAsk.model_validate(body | more)

    async def open(self, ask: SolveAsk) -> SolveId:
        made = await self.app.submitter.submit(ask, user_id=LOCAL_USER)
        await self.app.engine.wait(made.solve_id)
        return made.solve_id

    async def again(self, solve_id: SolveId, ask: AgainAsk) -> SolveRequest:
        return await self.app.submitter.request_again(solve_id, ask)

    async def runs(self, solve_id: SolveId) -> dict[str, RunRow]:
        rows = await rows_of_solve(self.app.context.store, solve_id)
        return {run.handle: run for run in rows.runs}


@pytest.fixture
async def judged(tmp_path: Path, database_url: str) -> AsyncIterator[Judged]:
    repository = Repository.create(tmp_path / "folder", FILES)
    settings = Settings.model_validate(
        {"YUDAI_HOME": tmp_path / "home", "DATABASE_URL": database_url}
    )
    async with open_app(settings, gateway=scripted_gateway(tmp_path)) as app:
        yield Judged(app, repository)
        assert await app.arena.backend.list() == []


@pytest.mark.real_on("postgresql")
async def test_from_three_patches_to_the_applied_champion(judged: Judged):
    """No time, no money and no model is needed: the limits are for agents."""
    root = judged.repository.root
    ask = judged.ask(
        {"handle": "right", "patch": judged.text(RIGHT), "author": "ada"},
        {"handle": "wrong", "patch": judged.text(WRONG)},
        {"handle": "old", "patch": judged.text(WRONG).replace("a - b", "a / b")},
    )
    before = look(root)
    solve_id = await judged.open(ask)
    assert look(root) == before
    rows = await rows_of_solve(judged.app.context.store, solve_id)
    runs = {run.handle: run for run in rows.runs}
    assert rows.solve.champion_run_id == runs["right"].id
    assert (rows.solve.state, rows.solve.models) == ("awaiting_review", ())
    assert {name: run.cause for name, run in runs.items()} == {
        "right": None,
        "wrong": None,
        "old": "patch_refused",
    }
    assert "calc.py: patch does not apply" in runs["old"].error
    right = runs["right"]
    assert (right.contestant.agent, right.contestant.author) == ("patch", "ada")
    assert author_of(runs["wrong"].contestant) == "wrong"
    assert (right.files_changed, right.lines_changed, right.total_cost_micros) == (1, 2, 0)
    assert right.steps == right.message_count == 0
    kinds = [event.kind for event in rows.events if event.run_id == right.id]
    assert kinds == ["run.started", "run.submitted", "run.judged"]

    applied = await judged.app.applier.apply(solve_id)
    assert applied.paths == ("calc.py", "test_add.py")
    assert (root / "calc.py").read_text() == RIGHT["calc.py"]


@on_one_kind
async def test_branches_and_commits_are_contestants(judged: Judged):
    repository = judged.repository
    for name, files in (("fix/add", RIGHT), ("other", WRONG)):
        repository.git("checkout", "-q", "-b", name, "main")
        repository.write(files)
        repository.commit(name)
    other = repository.head
    repository.git("checkout", "-q", "main")
    solve_id = await judged.open(judged.ask({"branch": "fix/add"}, {"commit": other}))
    runs = await judged.runs(solve_id)
    assert set(runs) == {"fix/add", other[:12]}
    assert (await documents.document(judged.app.context, solve_id)).solve.champion == (
        runs["fix/add"].id
    )


@on_one_kind
async def test_what_may_not_be_applied_is_refused_when_it_is_looked_at(judged: Judged):
    judged.repository.git("branch", "same")
    judged.repository.write({".yudai.yml": "protected:\n  - secret/\n"})
    judged.repository.commit()
    solve_id = await judged.open(
        judged.ask(
            {"handle": "outside", "patch": OUTSIDE},
            {"handle": "guarded", "patch": judged.text({"secret/key": "x\n"})},
            {"branch": "same"},
        )
    )
    runs = await judged.runs(solve_id)
    assert {name: run.cause for name, run in runs.items()} == {
        "outside": "patch_refused",
        "guarded": "patch_refused",
        "same": "empty_patch",
    }
    assert "leads outside the repository" in runs["outside"].error
    document = await documents.document(judged.app.context, solve_id)
    assert (document.solve.champion, document.budget_ended) == (None, None)
    with pytest.raises(RefusedError, match="must not be applied"):
        await judged.app.applier.apply(runs["outside"].id)


@on_one_kind
@pytest.mark.parametrize(
    ("patch", "words", "field"),
    [
        ({"branch": "mian"}, "did you mean main", "patches.0.branch"),
        ({"commit": "0123456789"}, "there is no branch or commit", "patches.0.commit"),
        ({"pull": 3}, "owner/repo#12", "patches.0.pull"),
    ],
)
async def test_what_is_not_there_opens_nothing(
    judged: Judged, patch: dict[str, Any], words: str, field: str
):
    with pytest.raises(RefusedError, match=words) as refused:
        await judged.open(judged.ask(patch))
    assert refused.value.field == field
    assert await documents.recent(judged.app.context, 10) == []


@on_one_kind
async def test_a_solve_is_judged_again_with_its_own_patches_and_base(judged: Judged):
    text = judged.text(RIGHT)
    first = await judged.open(
        judged.ask(
            {"handle": "right", "patch": text, "author": "ada"},
            {"handle": "old", "patch": text.replace("a - b", "a / b")},
        )
    )
    # The folder moves on: the patches, and what they are judged on, stay.
    judged.repository.write({"calc.py": "broken\n"})
    judged.repository.commit("moved on")
    made = await judged.app.submitter.submit_again(
        first, AgainAsk(require_proof=False, max_parallel=1), user_id=LOCAL_USER
    )
    await judged.app.engine.wait(made.solve_id)

    before = await rows_of_solve(judged.app.context.store, first)
    after = await rows_of_solve(judged.app.context.store, made.solve_id)
    assert made.solve_id != first
    # One that could not be put onto the base has no patch to judge.
    assert [run.handle for run in after.runs] == ["right"]
    assert after.solve.champion_run_id == after.runs[0].id
    for name in ("base", "project", "snapshot", "issue_title", "base_commit"):
        assert getattr(after.solve, name) == getattr(before.solve, name)
    assert (after.solve.require_proof, after.solve.budget.max_parallel) == (False, 1)
    assert author_of(after.runs[0].contestant) == "ada"
    context = judged.app.context
    assert await artifact_of(context, RunId(after.runs[0].id), ArtifactKind.PATCH) == text.encode()
    with pytest.raises(ConflictError, match="changed since"):
        await judged.app.applier.apply(made.solve_id)


@on_one_kind
async def test_without_stored_patches_nothing_can_be_judged_again(judged: Judged):
    text = judged.text(RIGHT).replace("a - b", "a / b")
    solve_id = await judged.open(judged.ask({"handle": "old", "patch": text}))
    with pytest.raises(RefusedError, match="has no stored patch"):
        await judged.again(solve_id, AgainAsk())
    with pytest.raises(RefusedError, match="no reducer"):
        await judged.again(solve_id, AgainAsk(reducer="best"))
