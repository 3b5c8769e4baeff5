"""Publishing over HTTP: asked for, looked at, refused."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.api.test_http import UNKNOWN, problem
from tests.support.api_client import Place, client_of
from tests.support.solve_rows import SOLVE, Ring, failed, passed, run_id
from yudai.api.errors import Code
from yudai.api.routes import publishing
from yudai.forge.domain.issue import IssueFacts
from yudai.publishing import queries as publications
from yudai.solves import timeline as events
from yudai.solves.domain.origin import Origin, OriginKind, PublishMode
from yudai.solves.domain.states import SolveState

FACTS = IssueFacts(url="https://github.com/acme/demo/issues/12", author="rita", taken_at=5.0)
ORIGIN = Origin(kind=OriginKind.LABEL, login="ada")


@pytest.fixture
async def web(app: FastAPI):
    if not any(getattr(route, "name", "") == "publish" for route in app.routes):
        app.include_router(publishing.router, prefix="/api")
    async with client_of(app) as client:
        yield client


async def _solve(ring: Ring, **changes: Any) -> None:
    columns = {
        "repo_url": "https://github.com/acme/demo",
        "issue_number": 12,
        "publish": PublishMode.ASK,
        "base_branch": "main",
        "issue_facts": FACTS,
        "origin": ORIGIN,
    }
    await ring.solve(passed(), failed(), **(columns | changes))


async def test_it_is_asked_for_and_looked_at(web: httpx.AsyncClient, ring: Ring, place: Place):
    await _solve(ring)
    missing = await web.get(f"/api/solves/{SOLVE}/publication")
    assert problem(missing, Code.NOT_FOUND)["detail"]
    asked = await web.post(f"/api/solves/{SOLVE}/publish")
    assert asked.status_code == 202, asked.text
    shown = asked.json()
    assert shown["state"] == "requested"
    assert shown["run_id"] == run_id(0)
    assert shown["repo_url"] == "https://github.com/acme/demo"
    assert shown["branch"] == "yudai/issue-12-0000aaaa"
    assert "actor" not in shown
    assert (await web.get(f"/api/solves/{SOLVE}/publication")).json() == shown
    again = await web.post(f"/api/solves/{SOLVE}/publish")
    assert "already" in problem(again, Code.CONFLICT)["detail"]
    async with place.context.store.read() as db:
        row = await publications.get(db, SOLVE)
        kinds = [event.kind for event in await events.after(db, SOLVE)]
    assert row.actor == "local"
    assert kinds.count("publication.requested") == 1


async def test_a_solve_shows_its_publication_and_where_it_came_from(
    web: httpx.AsyncClient, ring: Ring
):
    await _solve(ring)
    view = (await web.get(f"/api/solves/{SOLVE}")).json()
    assert view["publication"] is None
    assert view["issue_facts"] == FACTS.model_dump(mode="json")
    assert view["origin"] == ORIGIN.model_dump(mode="json")
    await web.post(f"/api/solves/{SOLVE}/publish")
    view = (await web.get(f"/api/solves/{SOLVE}")).json()
    assert view["publication"]["state"] == "requested"
    assert "publication.requested" in [event["kind"] for event in view["events"]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"publish": None, "repo_url": ""}, "not at a forge"),
        ({"publish": PublishMode.NEVER}, "never"),
        ({"state": SolveState.RUNNING}, "no champion"),
    ],
)
async def test_what_cannot_be_published(
    web: httpx.AsyncClient, ring: Ring, changes: dict[str, Any], words: str
):
    await _solve(ring, **changes)
    answer = await web.post(f"/api/solves/{SOLVE}/publish")
    assert words in problem(answer, Code.CONFLICT)["detail"]


async def test_of_an_unknown_solve(web: httpx.AsyncClient):
    problem(await web.post(f"/api/solves/{UNKNOWN}/publish"), Code.NOT_FOUND)
    problem(await web.get(f"/api/solves/{UNKNOWN}/publication"), Code.NOT_FOUND)
    problem(await web.get("/api/solves/x/publication"), Code.NOT_FOUND)
