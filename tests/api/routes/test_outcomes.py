"""What became of a pull request, over HTTP."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.support.api_client import Place
from tests.support.solve_rows import SOLVE, Ring, passed, run_id
from yudai.api.routes import publishing as routes
from yudai.forge.domain.repository import PullState
from yudai.kit.ids import SolveId
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import OutcomeKind, PublicationState
from yudai.publishing.tables import OutcomeRow, PublicationRow

OTHER = SolveId("0190a000-0000-7000-8000-00000000bbbb")
HERE = f"/api/solves/{SOLVE}/outcomes"


@pytest.fixture(autouse=True)
def routed(app: FastAPI) -> None:
    if not any(getattr(route, "name", "") == "getOutcomes" for route in app.routes):
        app.include_router(routes.outcomes, prefix="/api")


async def _publish(place: Place, **changes: Any) -> None:
    columns: dict[str, Any] = {
        "solve_id": SOLVE,
        "run_id": run_id(0),
        "repo_url": "https://forge.test/ada/calc",
        "state": PublicationState.DONE,
        "pull_number": 7,
        "pull_url": "https://forge.test/ada/calc/pull/7",
        "pull_title": "[AI] Fix: #1 x",
        "pull_state": PullState.MERGED,
        "merge_commit": "b" * 40,
        "merged_at": 5.0,
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    async with place.context.store.change() as db:
        await publications.add(db, PublicationRow(**(columns | changes)), data={})


async def _outcome(place: Place, kind: OutcomeKind, solve_id: SolveId = SOLVE) -> int:
    row = OutcomeRow(
        solve_id=solve_id,
        kind=kind,
        key="abc",
        at=5.0,
        seen_at=6.0,
        by="ada",
        evidence={"sign": "content"},
    )
    async with place.context.store.change() as db:
        await outcomes.add(db, row)
    return row.id


async def test_nothing_was_published(client: httpx.AsyncClient, ring: Ring) -> None:
    await ring.solve(passed())
    answer = await client.get(HERE)
    assert (answer.status_code, answer.json()) == (200, {"pull": None, "outcomes": []})


async def test_the_pull_request_and_what_became_of_it(
    client: httpx.AsyncClient, ring: Ring, place: Place
) -> None:
    await ring.solve(passed())
    await _publish(place)
    await _outcome(place, OutcomeKind.MERGED)
    shown = (await client.get(HERE)).json()
    assert shown["pull"]["number"] == 7
    assert shown["pull"]["state"] == "merged"
    assert shown["pull"]["publication"] == "done"
    [outcome] = shown["outcomes"]
    assert (outcome["kind"], outcome["by"], outcome["waits"]) == ("merged", "ada", False)
    assert outcome["evidence"] == {"sign": "content"}


@pytest.mark.parametrize("is_revert", [True, False])
async def test_a_person_answers_a_suspicion(
    client: httpx.AsyncClient, ring: Ring, place: Place, *, is_revert: bool
) -> None:
    await ring.solve(passed())
    suspicion = await _outcome(place, OutcomeKind.SUSPECTED_REVERT)
    [before] = (await client.get(HERE)).json()["outcomes"]
    assert (before["waits"], before["confirmed"]) == (True, None)
    where = f"{HERE}/{suspicion}/confirm"
    answer = await client.post(where, json={"is_revert": is_revert})
    assert answer.status_code == 200
    kinds = [outcome["kind"] for outcome in answer.json()["outcomes"]]
    assert kinds == ["suspected_revert", "reverted"][: 1 + is_revert]
    first = answer.json()["outcomes"][0]
    assert (first["waits"], first["confirmed"]) == (False, is_revert)
    assert (await client.post(where, json={"is_revert": is_revert})).json() == answer.json()
    otherwise = await client.post(where, json={"is_revert": not is_revert})
    assert otherwise.status_code == 409


async def test_what_cannot_be_answered(client: httpx.AsyncClient, ring: Ring, place: Place) -> None:
    await ring.solve(passed())
    await ring.solve(passed(), id=OTHER)
    merged = await _outcome(place, OutcomeKind.MERGED)
    elsewhere = await _outcome(place, OutcomeKind.SUSPECTED_REVERT, OTHER)
    yes = {"is_revert": True}
    assert (await client.post(f"{HERE}/{merged}/confirm", json=yes)).status_code == 422
    assert (await client.post(f"{HERE}/{elsewhere}/confirm", json=yes)).status_code == 404
    assert (await client.post(f"{HERE}/99999/confirm", json=yes)).status_code == 404
    assert (await client.post(f"{HERE}/0/confirm", json=yes)).status_code == 422
    for body in ({}, {"is_revert": "yes"}, {"is_revert": True, "more": 1}):
        assert (await client.post(f"{HERE}/{elsewhere}/confirm", json=body)).status_code == 422


async def test_another_persons_is_not_there(
    client: httpx.AsyncClient, ring: Ring, place: Place
) -> None:
    await ring.solve(passed(), user_id="somebody")
    suspicion = await _outcome(place, OutcomeKind.SUSPECTED_REVERT)
    assert (await client.get(HERE)).status_code == 404
    body = {"is_revert": True}
    assert (await client.post(f"{HERE}/{suspicion}/confirm", json=body)).status_code == 404
    assert (await client.get("/api/solves/nonsense/outcomes")).status_code == 404
