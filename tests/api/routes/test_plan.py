"""Before a solve: what it would be, where one was before, and the bundled demonstration."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from tests.api.routes.test_solves import MISSION
from tests.api.test_http import problem
from tests.support.api_client import UNCALLABLE, Place, RecordingEngine
from tests.support.forge.repositories import Repository, look
from tests.support.solve_rows import Ring, passed
from yudai import demo
from yudai.api.errors import Code
from yudai.forge.ports.folder import Snapshot
from yudai.kit.ids import SolveId
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.tables import EventRow, IdempotencyRow, SolveRow
from yudai.wiring.components import open_gateway, scripted_gateway


@pytest.fixture
def folder(repository: Repository) -> dict[str, Any]:
    return {"repo_path": str(repository.root), "matrix": {"models": ["gpt-4.1"]}}


async def forecast(client: httpx.AsyncClient, body: dict[str, Any]) -> dict[str, Any]:
    answer = await client.post("/api/forecasts", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def fields(answer: httpx.Response, code: Code = Code.REFUSED) -> list[str]:
    told = problem(answer, code)
    errors = told["errors"]
    if code is Code.REFUSED:
        assert [error["message"] for error in errors] == [told["detail"]]
    return [error["field"] for error in errors]


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


async def rows(place: Place) -> list[int]:
    async with place.context.store.read() as db:
        tables = (SolveRow, RunRow, EventRow, IdempotencyRow)
        counts = [await db.scalar(select(func.count()).select_from(table)) for table in tables]
    return [count or 0 for count in counts]


async def test_the_matrix_of_the_mission_is_counted_and_priced(client: httpx.AsyncClient):
    told = await forecast(client, MISSION)
    assert (told["total"], told["starting"], told["not_started"]) == (36, 12, 24)
    assert len(told["contestants"]) == 12
    assert (told["max_parallel"], told["free"], told["folder"]) == (6, False, None)
    assert 0 < told["cost_usd"]["low"] < told["cost_usd"]["high"] <= told["ceiling_usd"] == 5
    # Two waves of quick runs, or of slow ones.
    assert told["seconds"] == {"low": 80, "high": 1800}
    assert told["command"].startswith("yudai solve https://github.com/owner/repo/issues/123 ")
    assert told["ask"]["matrix"]["temperatures"] == [0.2, 0.6]
    assert not {"temps", "evolution"} & told["ask"]["matrix"].keys()
    again = await forecast(client, told["ask"])
    assert again["ask"] == told["ask"]


async def test_a_folder_is_looked_at_and_nothing_is_left_of_it(
    client: httpx.AsyncClient,
    place: Place,
    engine: RecordingEngine,
    folder: dict[str, Any],
    repository: Repository,
):
    told = await forecast(client, folder | {"limits": {"max_runs": 2}, "test": "make test"})
    assert told["folder"] == {
        "repo": "folder",
        "root": str(repository.root),
        "folder": "",
        "branch": "main",
        "commit": repository.head,
        "dirty": False,
        "setup": [],
        "setup_from": told["folder"]["setup_from"],
        "test": "make test",
        "notes": [],
    }
    assert told["command"] == (
        f"SOLVER_ARENA_MAX_RUNS=2 yudai solve {repository.root} --text '' --model gpt-4.1"
        " --test 'make test'"
    )
    assert told["ask"]["repo_path"] == str(repository.root)
    assert await rows(place) == [0, 0, 0, 0]
    assert engine.started == []
    assert files(place.settings.home) == []


async def test_uncommitted_changes_leave_nothing_behind_either(
    client: httpx.AsyncClient, place: Place, folder: dict[str, Any], repository: Repository
):
    (repository.root / "calc.py").write_text("x = 1\n")
    (repository.root / "new.py").write_text("x = 2\n")
    before = look(repository.root)
    assert fields(await client.post("/api/forecasts", json=folder)) == ["dirty"]
    told = await forecast(client, folder | {"dirty": True})
    assert told["folder"]["dirty"] is True
    assert files(place.settings.home) == []
    assert look(repository.root) == before


async def test_a_forecast_costs_little_and_changes_none_of_their_files(
    client: httpx.AsyncClient, folder: dict[str, Any], repository: Repository
):
    repository.git("gc", "-q")
    before = look(repository.root)
    await forecast(client, folder)
    assert look(repository.root) == before


async def test_a_sparse_checkout_is_looked_at_without_a_trace(
    client: httpx.AsyncClient, place: Place, folder: dict[str, Any], repository: Repository
):
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "nowhere")
    before = look(repository.root)
    assert (await forecast(client, folder))["folder"]["branch"] == "main"
    assert look(repository.root) == before
    assert files(place.settings.home) == []


async def test_what_a_partial_clone_lacks_is_said_before(
    client: httpx.AsyncClient, folder: dict[str, Any], repository: Repository, tmp_path: Path
):
    repository.git("config", "uploadpack.allowFilter", "true")
    url, partial = f"file://{repository.root}", tmp_path / "partial"
    repository.git("clone", "-q", "--filter=blob:none", "--no-checkout", url, str(partial))
    answer = await client.post("/api/forecasts", json=folder | {"repo_path": str(partial)})
    assert fields(answer) == ["repo_path"]
    assert "lacks some of its objects" in answer.json()["detail"]


async def test_the_plainest_spelling_of_a_place_is_given_back(
    client: httpx.AsyncClient, folder: dict[str, Any]
):
    path = folder.pop("repo_path")
    told = await forecast(client, folder | {"repo_url": f"file://{path}"})
    assert (told["ask"]["repo_path"], told["ask"]["repo_url"]) == (path, "")
    remote = {"repo_url": "https://GitHub.com/o/r.git", "matrix": {"models": ["gpt-4.1"]}}
    told = await forecast(client, remote)
    assert told["ask"]["repo_url"] == "https://github.com/o/r"


@pytest.mark.parametrize(
    "words", [{}, {"issue_text": " \n"}, {"issue_number": 4}, {"issue_title": "x"}]
)
async def test_words_may_still_be_on_their_way(
    client: httpx.AsyncClient, folder: dict[str, Any], words: dict[str, Any]
):
    assert (await forecast(client, folder | words))["total"] == 1
    assert fields(await client.post("/api/solves", json=folder | words)) == ["issue_text"]


async def test_free_models_cost_nothing(client: httpx.AsyncClient, folder: dict[str, Any]):
    free = {"matrix": {"models": ["m"]}, "prices": {"m": {"input_usd": 0, "output_usd": 0}}}
    told = await forecast(client, folder | free)
    assert (told["free"], told["cost_usd"]) == (True, {"low": 0, "high": 0})
    assert told["ceiling_usd"] == 0


async def test_models_that_ran_before_tell_how_long_they_take(
    client: httpx.AsyncClient, place: Place, ring: Ring, folder: dict[str, Any]
):
    priced = {"prices": {"vendor/fast": {"input_usd": 1, "output_usd": 1}}}
    body = folder | priced | {"matrix": {"models": ["vendor/fast"], "temps": [0, 1]}}
    await ring.solve(passed(), passed(), passed())
    assert (await forecast(client, body))["seconds"] == {"low": 40, "high": 900}
    async with place.context.store.change() as db:
        for number, run in enumerate(await db.scalars(select(RunRow).order_by(RunRow.position))):
            run.started_at, run.finished_at = 100.0, 110.0 + 10 * number
    assert (await forecast(client, body))["seconds"] == {"low": 15, "high": 25}
    one_by_one = body | {"limits": {"max_parallel": 1, "run_time_budget_s": 20}}
    assert (await forecast(client, one_by_one))["seconds"] == {"low": 30, "high": 40}


FREE = {"m": {"input_usd": 0, "output_usd": 0}}
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("matrix.models", {"matrix": {"models": ["gpt-4.2"]}}),
    ("matrix.models", {"matrix": {"models": ["vendor/unknown"]}}),
    ("matrix.agents", {"matrix": {"models": ["gpt-4.1"], "agents": ["robot"]}}),
    ("matrix", {"matrix": {"models": ["gpt-4.1"], "temps": [0.1] * 100, "max_edits": [1] * 11}}),
    ("prices", {"prices": FREE}),
    ("prices.gpt-4.1", {"prices": {"gpt-4.1": {"input_usd": 1, "output_usd": 1, "cached_usd": 2}}}),
    ("limits.budget_usd", {"limits": {"budget_usd": 0}}),
    ("limits.run_budget_usd", {"limits": {"run_budget_usd": 0}}),
    ("repo_path", {"repo_path": ""}),
    ("repo_path", {"repo_path": "relative"}),
    ("repo_path", {"repo_path": "/no/such/folder"}),
    ("repo_path", {"repo_path": "/"}),
    ("repo_path", {"repo_url": "https://github.com/o/r"}),
    ("repo_url", {"repo_path": "", "repo_url": "file:///no/such/folder"}),
    ("repo_url", {"repo_path": "", "repo_url": "/no/such/folder"}),
    ("repo_url", {"repo_path": "", "repo_url": "ssh://x"}),
    ("base_branch", {"base_branch": "nowhere"}),
    ("dirty", {"base_branch": "main~1", "dirty": True}),
    ("dirty", {"repo_path": "", "repo_url": "https://github.com/o/r", "dirty": True}),
    ("env", {"repo_path": "", "repo_url": "https://github.com/o/r", "env": "/venv"}),
    ("reducer", {"reducer": "best"}),
    ("issue_text", {"issue_text": "x" * 501}),
]


@pytest.mark.parametrize(("field", "change"), REFUSED)
async def test_what_is_refused_stands_next_to_its_field(
    client: httpx.AsyncClient,
    place: Place,
    folder: dict[str, Any],
    repository: Repository,
    field: str,
    change: dict[str, Any],
):
    repository.git("commit", "-q", "--allow-empty", "-m", "another")
    body = {"issue_text": "x is wrong"} | folder | change
    asked = await client.post("/api/forecasts", json=body)
    assert fields(asked) == [field]
    made = await client.post("/api/solves", json=body)
    assert fields(made) == [field]
    assert made.json()["detail"] == asked.json()["detail"]
    assert (await rows(place))[0] == 0


async def test_a_broken_project_file_belongs_to_the_folder(
    client: httpx.AsyncClient, folder: dict[str, Any], repository: Repository
):
    (repository.root / ".yudai.yml").write_text("tset: pytest\n")
    repository.commit()
    answer = await client.post("/api/forecasts", json=folder)
    assert fields(answer) == ["repo_path"]
    assert "there is no key `tset`" in answer.json()["detail"]


async def test_what_does_not_fit_is_named_in_the_same_spelling(client: httpx.AsyncClient):
    body = {"repo_path": "/x", "matrix": {"models": ["m"], "temperatures": ["warm"]}}
    answer = await client.post("/api/forecasts", json=body)
    assert fields(answer, Code.INVALID_BODY) == ["matrix.temperatures"]
    body = {"repo_path": "/x", "matrix": {"models": ["m"]}, "limits": {"budget_usd": -1}}
    answer = await client.post("/api/forecasts", json=body)
    assert fields(answer, Code.INVALID_BODY) == ["limits.budget_usd"]


async def test_places_of_solves_newest_first(
    client: httpx.AsyncClient, place: Place, ring: Ring, folder: dict[str, Any], tmp_path: Path
):
    assert (await client.get("/api/repos")).json() == {"repos": []}
    remote = {"repo_url": "https://github.com/o/r", "issue_number": 1, "matrix": folder["matrix"]}
    for body in (folder | {"issue_text": "x"}, remote, folder | {"issue_text": "y"}):
        assert (await client.post("/api/solves", json=body)).status_code == 202
    # Of no place that a solve could be of again, or somebody else's.
    await ring.solve(passed())
    other = SolveId("0190a000-0000-7000-8000-00000000bbbb")
    await ring.solve(passed(), id=other, user_id="bob", repo_url="https://github.com/b/b")
    sub = Snapshot(
        repo="mono",
        root=Path("/w/mono"),
        folder="packages/api",
        branch="main",
        commit="c",
        tree="t",
        source=Path("/s"),
    )
    third = SolveId("0190a000-0000-7000-8000-00000000cccc")
    await ring.solve(passed(), id=third, repo="mono", snapshot=sub, created_at=1.0)
    repos = (await client.get("/api/repos")).json()["repos"]
    names = ("repo", "repo_path", "repo_url", "solves")
    assert [tuple(each[name] for name in names) for each in repos] == [
        ("folder", folder["repo_path"], "", 2),
        ("o/r", "", "https://github.com/o/r", 1),
        ("mono", "/w/mono/packages/api", "", 1),
    ]
    assert repos[0]["last_used_at"] > repos[1]["last_used_at"] > repos[2]["last_used_at"] == 1.0


async def test_the_demo_is_a_solve_like_any_other(
    client: httpx.AsyncClient, place: Place, engine: RecordingEngine
):
    answer = await client.post("/api/demo", headers={"Idempotency-Key": "k"})
    assert answer.status_code == 202, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"/api/solves/{made['id']}"
    assert (made["repo"], made["state"]) == (demo.REPO, "queued")
    assert made["progress"]["total"] == len(demo.matrix().models)
    assert engine.started == [made["id"]]
    again = await client.post("/api/demo", headers={"Idempotency-Key": "k"})
    assert (again.json()["id"], again.headers["idempotency-replayed"]) == (made["id"], "true")
    other = await client.post("/api/demo")
    assert other.json()["id"] != made["id"]
    async with place.context.store.read() as db:
        row = await solves.get(db, SolveId(made["id"]))
    assert row.durable
    assert row.base is not None
    assert row.base.source.is_file()
    view = (await client.get(f"/api/solves/{made['id']}")).json()
    assert (view["can_apply"], view["cannot_apply_because"]) == (
        False,
        "this solve has no folder",
    )


async def test_a_key_of_a_solve_is_none_of_a_demo(client: httpx.AsyncClient):
    headers = {"Idempotency-Key": "k"}
    assert (await client.post("/api/demo", headers=headers)).status_code == 202
    answer = await client.post("/api/solves", json=MISSION, headers=headers)
    problem(answer, Code.IDEMPOTENCY_KEY_REUSED)


async def test_every_worker_knows_the_scripts_of_the_demo(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "yudai-demo").mkdir()
    (tmp_path / "yudai-demo" / "surgeon.yaml").write_text("not a script")
    monkeypatch.chdir(tmp_path)
    async with open_gateway(place.settings) as gateway:
        for model in demo.models():
            gateway.check(model)
    assert [model.name for model in demo.models()] == list(demo.matrix().models)
    scripted_gateway().check(demo.models()[0])


async def test_a_key_that_is_not_there_hides_nothing_else(
    client: httpx.AsyncClient, folder: dict[str, Any]
):
    keyless = {"matrix": {"models": [UNCALLABLE]}, "prices": {UNCALLABLE: FREE["m"]}}
    found = await forecast(client, folder | keyless)
    assert len(found["lacks"]) == 1
    assert (found["starting"], found["folder"]["root"]) == (1, folder["repo_path"])
    assert (await forecast(client, folder))["lacks"] == []

    nowhere = {"repo_path": "/no/such/folder"}
    answer = await client.post("/api/forecasts", json=folder | keyless | nowhere)
    assert fields(answer) == ["repo_path"]
    started = await client.post("/api/solves", json=folder | keyless | {"issue_text": "it fails"})
    assert fields(started) == ["matrix.models"]
