"""A person's folder from the plan to the taken answer, with real git and real sandboxes."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.bare_env import bare_env
from tests.support.forge.repositories import Repository, look
from tests.support.rows_of_solve import rows_of_solve
from tests.support.servers.databases import on_one_kind
from yudai.arena.open import SolveRequest
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.projects.find import Given
from yudai.settings import Settings
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.request import Limits, SolveAsk
from yudai.views import documents
from yudai.wiring.components import scripted_gateway
from yudai.wiring.local_app import App, open_app

FILES = {
    "pytest.ini": "[pytest]\n",
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
}
TEST = "printf 'from calc import add\\n\\n\\ndef test_add():\\n    assert add(2, 1) == 3\\n'"
GOOD = [
    {"run": [f"{TEST} > test_add.py", "sed -i 's/a - b/a + b/' calc.py"]},
    {"finish": True},
]
IDLE = [{"finish": True}]


class Place:
    def __init__(self, app: App, repository: Repository, scripts: Path) -> None:
        self.app = app
        self.repository = repository
        self.scripts = scripts

    def ask(self, *models: str, **more: Any) -> SolveAsk:
        return SolveAsk(
            repo_path=str(self.repository.root),
            issue_text="add subtracts",
            matrix=Matrix(models=models),
            limits=Limits(max_steps=6),
            **more,
        )

    async def request(self, *models: str, **more: Any) -> SolveRequest:
        return await self.app.submitter.request(self.ask(*models, **more), user_id=LOCAL_USER)

    async def solve(self, *models: str) -> SolveId:
        # Not our own one: it has many plugins, with which pytest takes four times as long to start.
        request = await self.request(*models, env=str(bare_env()))
        plan = await self.app.planner.plan(request, Given(setup=None))
        measured = await self.app.planner.measure(plan)
        known = request.model_copy(update={"measured": measured})
        solve_id = await self.app.solves.open_solve(known)
        await self.app.engine.wait(solve_id)
        return solve_id


@pytest.fixture
async def place(tmp_path: Path, database_url: str) -> AsyncIterator[Place]:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name, replies in (("good", GOOD), ("idle", IDLE)):
        (scripts / f"{name}.yaml").write_text(yaml.safe_dump({"replies": replies}))
    repository = Repository.create(tmp_path / "folder", FILES)
    settings = Settings.model_validate(
        {"YUDAI_HOME": tmp_path / "home", "DATABASE_URL": database_url}
    )
    async with open_app(settings, gateway=scripted_gateway(scripts)) as app:
        yield Place(app, repository, scripts)
        assert await app.arena.backend.list() == []


@pytest.mark.real_on("postgresql")
async def test_from_the_folder_to_the_applied_champion(place: Place, tmp_path: Path):
    root = place.repository.root
    before = look(root)
    solve_id = await place.solve("scripted/good")
    assert look(root) == before
    solve_rows = await rows_of_solve(place.app.context.store, solve_id)
    assert solve_rows.solve.state == "awaiting_review"
    assert solve_rows.solve.base_branch == "main"
    assert solve_rows.solve.test_command == "python -m pytest"
    assert [e.kind for e in solve_rows.events].count("baseline.measured") == 1
    assert solve_rows.solve.baseline is not None
    assert solve_rows.solve.baseline.passing == {"test_calc.py::test_zero"}
    # By default only the folder that one is in is changed.
    with pytest.raises(NotFoundError, match="there is no solve of"):
        await place.app.applier.apply("", here=tmp_path)
    assert look(root) == before
    applied = await place.app.applier.apply("", here=root / "deeper")
    assert (applied.root, applied.paths) == (str(root), ("calc.py", "test_add.py"))
    assert (root / "calc.py").read_text() == FILES["calc.py"].replace("-", "+")
    assert (await documents.document(place.app.context, solve_id)).solve.state == "completed"
    with pytest.raises(ConflictError):
        await place.app.applier.apply(solve_id)


@on_one_kind
@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        ("scripted/none", {}, "there is no script"),
        ("scripted/good", {"reducer": "best"}, "there is no reducer"),
    ],
)
async def test_a_bad_request_is_refused_before_anything_is_written(
    place: Place, model: str, more: dict[str, Any], words: str
):
    with pytest.raises(RefusedError, match=words):
        await place.app.submitter.submit(place.ask(model, **more), user_id=LOCAL_USER)
    assert await documents.recent(place.app.context, 10) == []


@on_one_kind
async def test_a_branch_leaves_the_folder_as_it_is(place: Place):
    solve_id = await place.solve("scripted/good")
    root = place.repository.root
    index = (root / ".git" / "index").read_bytes()
    applied = await place.app.applier.branch(solve_id, "fix/add")
    assert applied.branch == "fix/add"
    assert (root / "calc.py").read_text() == FILES["calc.py"]
    assert (root / ".git" / "index").read_bytes() == index
    message = place.repository.git("log", "-1", "--format=%s|%an <%ae>", "fix/add")
    assert message.strip() == "add subtracts|yudai-bot <bot@yudai.app>"
    assert "a + b" in place.repository.git("show", "fix/add:calc.py")
    assert (await documents.document(place.app.context, solve_id)).solve.state == "completed"


@on_one_kind
async def test_without_a_champion_there_is_nothing_to_apply(place: Place):
    solve_id = await place.solve("scripted/idle")
    for target in (solve_id, ""):
        with pytest.raises(NotFoundError, match="no champion"):
            await place.app.applier.apply(target)
    run = (await rows_of_solve(place.app.context.store, solve_id)).runs[0]
    with pytest.raises(NotFoundError):
        await place.app.applier.apply(run.id)


@on_one_kind
async def test_a_model_that_cannot_be_called_is_refused_before_the_folder_is_read(place: Place):
    with pytest.raises(RefusedError, match="there is no script"):
        await place.request("scripted/nobody")
    home = place.app.arena.settings.home
    assert not [*home.glob("sources/*")]


@on_one_kind
async def test_what_changes_the_base_changes_its_key(place: Place):
    async def key(**more: object) -> str:
        base = (await place.request("scripted/good", **more)).base
        assert base is not None
        return base.key

    plain = await key()
    assert await key() == plain
    own = Path(sys.prefix)
    keys = {
        plain,
        await key(setup=("true",)),
        await key(setup=("true", "true")),
        await key(env=str(own.parent / "other")),
    }
    place.repository.write({"new.py": "x = 1\n"})
    keys.add(await key(dirty=True))
    place.repository.commit()
    committed = await key()
    assert len(keys) == 5
    assert committed in keys


@on_one_kind
async def test_a_protected_path_is_protected_from_its_person_too(place: Place):
    place.repository.write({".yudai.yml": "protected: [calc.py]\n"})
    place.repository.commit()
    solve_id = await place.solve("scripted/good")
    run = (await rows_of_solve(place.app.context.store, solve_id)).runs[0]
    assert run.cause == "patch_refused"
    with pytest.raises(RefusedError, match="protected"):
        await place.app.applier.apply(run.id)
