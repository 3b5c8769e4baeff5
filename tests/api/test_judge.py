"""Patches over HTTP: contestants without a model, bounded, and named when they are wrong."""

import base64
from typing import Any

import httpx
import pytest

from tests.api.test_http import problem
from tests.support.api_client import Place
from tests.support.forge.repositories import Repository
from yudai.api.errors import Code
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.port import ArtifactKind
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.asked_patch import MAX_PATCHES, MAX_TOTAL

THREE = [{"pull": number} for number in (1, 2, 3)]


@pytest.fixture
def folder(repository: Repository) -> dict[str, Any]:
    return {"repo_path": str(repository.root), "issue_text": "add subtracts\n\nIt should add."}


@pytest.fixture
def diff(repository: Repository) -> str:
    return repository.patch({"new.txt": "new\n"}).decode()


async def rows_of(place: Place, solve_id: str) -> list[RunRow]:
    async with place.context.store.read() as db:
        return await runs.of_solve(db, SolveId(solve_id))


async def patch_of(place: Place, run: RunRow) -> bytes | None:
    async with place.context.store.read() as db:
        ref = (await artifact_rows.of_run(db, RunId(run.id))).get(ArtifactKind.PATCH)
    return None if ref is None else await place.context.artifacts.get(ref)


async def test_patches_are_contestants_without_a_model(
    client: httpx.AsyncClient, place: Place, folder: dict[str, Any], diff: str
):
    unfit = diff.replace("new file mode 100644", "old mode 100644\nnew mode 100755")
    patches = [
        {"handle": "codex", "patch": diff, "author": "OpenAI"},
        {"handle": "codex", "patch_base64": base64.b64encode(diff.encode()).decode()},
        {"handle": "unfit", "patch": unfit},
    ]
    answer = await client.post("/api/solves", json=folder | {"patches": patches})
    assert answer.status_code == 202, answer.text
    made = answer.json()
    assert made["progress"]["total"] == 3
    rows = await rows_of(place, made["id"])
    assert [(run.handle, run.state, run.contestant.author) for run in rows] == [
        ("codex", "queued", "OpenAI"),
        ("codex-2", "queued", "codex-2"),
        ("unfit", "failed", "unfit"),
    ]
    assert (rows[2].cause, await patch_of(place, rows[2])) == ("patch_refused", None)
    assert await patch_of(place, rows[0]) == await patch_of(place, rows[1]) == diff.encode()
    shown = (await client.get(f"/api/solves/{made['id']}")).json()
    assert shown["matrix"]["models"] == []
    contestant = shown["runs"][0]["contestant"]
    assert (contestant["agent"], contestant["model"]) == ("patch", "")
    assert contestant["author"] == "OpenAI"


async def test_beside_a_matrix(
    client: httpx.AsyncClient, place: Place, folder: dict[str, Any], diff: str
):
    body = folder | {"patches": [{"patch": diff}], "matrix": {"models": ["gpt-4.1"]}}
    made = (await client.post("/api/solves", json=body)).json()
    handles = [run.handle for run in await rows_of(place, made["id"])]
    assert handles == ["patch", "gpt-4.1-t0.2-e10-balanced"]


async def test_a_forecast_counts_them_and_stores_nothing(
    client: httpx.AsyncClient, folder: dict[str, Any], diff: str
):
    body = folder | {"patches": [{"patch": diff}, {"branch": "nope"}]}
    told = (await client.post("/api/forecasts", json=body)).json()
    assert (told["total"], told["starting"], told["free"], told["command"]) == (2, 2, True, "")
    assert [one["handle"] for one in told["contestants"]] == ["patch", "nope"]
    assert (await client.get("/api/solves")).json()["solves"] == []


@pytest.mark.parametrize(
    ("patches", "code", "field"),
    [
        (
            [*({"patch": "DIFF"} for _ in "abc"), {"patch": "please"}],
            Code.INVALID_BODY,
            "patches.3.patch",
        ),
        ([{"patch": "DIFF"}, {}], Code.INVALID_BODY, "patches.1.patch"),
        ([{"patch": "DIFF"}, {"patch": "DIFF" * 20_000}] * 2, Code.INVALID_BODY, "patches.3.patch"),
        ([{"patch": "DIFF"}] * (MAX_PATCHES + 1), Code.INVALID_BODY, "patches"),
        ([{"patch": "DIFF", "temperature": 2}], Code.INVALID_BODY, "patches.0.temperature"),
        ([{"branch": "nope"}], Code.REFUSED, "patches.0.branch"),
        ([{"patch": "DIFF"}, {"pull": 3}], Code.REFUSED, "patches.1.pull"),
        ([], Code.INVALID_BODY, "matrix.models"),
    ],
)
async def test_what_is_wrong_is_named(
    client: httpx.AsyncClient,
    folder: dict[str, Any],
    diff: str,
    patches: list[dict[str, Any]],
    code: Code,
    field: str,
):
    for one in patches:
        if "patch" in one:
            one |= {"patch": one["patch"].replace("DIFF", diff)}
    answer = await client.post("/api/solves", json=folder | {"patches": patches})
    assert answer.status_code == 422
    told = problem(answer, code)
    assert told["errors"][0]["field"] == field
    assert (await client.get("/api/solves")).json()["solves"] == []


async def test_a_large_patch_passes_and_a_larger_body_does_not(
    client: httpx.AsyncClient, folder: dict[str, Any], repository: Repository
):
    large = repository.patch({"big.txt": "a line of text\n" * 200_000}).decode()
    assert 2_000_000 < len(large) < MAX_TOTAL
    answer = await client.post("/api/solves", json=folder | {"patches": [{"patch": large}]})
    assert answer.status_code == 202, answer.text
    # Only where patches are taken.
    answer = await client.post("/api/conversations", json={"title": "x" * 2_000_000})
    problem(answer, Code.TOO_LARGE)
    answer = await client.post("/api/solves", content=b"x" * (3 * MAX_TOTAL))
    problem(answer, Code.TOO_LARGE)


async def test_a_solve_is_judged_again_once_for_each_key(
    client: httpx.AsyncClient, place: Place, folder: dict[str, Any], diff: str
):
    first = (await client.post("/api/solves", json=folder | {"patches": [{"patch": diff}]})).json()
    path, key = f"/api/solves/{first['id']}/judge", {"Idempotency-Key": "k"}
    answer = await client.post(path, json={"require_proof": False}, headers=key)
    assert answer.status_code == 202, answer.text
    made = answer.json()
    assert made["id"] != first["id"]
    assert answer.headers["location"] == f"/api/solves/{made['id']}"
    again = await client.post(path, json={"require_proof": False}, headers=key)
    assert again.json()["id"] == made["id"]
    [run] = await rows_of(place, made["id"])
    assert (run.handle, await patch_of(place, run)) == ("patch", diff.encode())
    async with place.context.store.read() as db:
        assert not (await solves.get(db, SolveId(made["id"]))).require_proof


async def test_a_solve_that_is_not_there_or_has_no_patch(
    client: httpx.AsyncClient, folder: dict[str, Any]
):
    unknown = "/api/solves/0190a000-0000-7000-8000-00000000cccc/judge"
    problem(await client.post(unknown, json={}), Code.NOT_FOUND)
    body = folder | {"matrix": {"models": ["gpt-4.1"]}}
    made = (await client.post("/api/solves", json=body)).json()
    answer = await client.post(f"/api/solves/{made['id']}/judge", json={})
    assert "no stored patch" in problem(answer, Code.REFUSED)["detail"]
