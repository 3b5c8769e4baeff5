"""Questions over HTTP: read with the solve, answered once."""

import httpx
import pytest

from tests.api.test_http import problem
from tests.decisions.questions import EXPECTATION, AskingDecider, conclude, question_rows, solve_row
from tests.support.api_client import Place, RecordingEngine
from tests.support.solve_rows import SOLVE, Ring, failed, run_id
from yudai.api.errors import Code
from yudai.solves.domain.states import SolveState

HERE = f"/api/solves/{SOLVE}"


@pytest.fixture
async def path(place: Place, ring: Ring) -> str:
    """Of the only question of a solve that waits for its answer."""
    await ring.solve(failed(), state=SolveState.RUNNING, finished_at=None)
    await conclude(place.context, AskingDecider(EXPECTATION))
    [row] = await question_rows(place.context)
    return f"{HERE}/questions/{row.id}"


async def test_it_is_in_the_solve_with_what_is_needed_to_decide(
    client: httpx.AsyncClient, path: str
):
    view = (await client.get(HERE)).json()
    [question] = view["questions"]
    assert question.pop("asked_at") > 0
    assert question == {
        "id": path.rpartition("/")[2],
        "key": EXPECTATION.key,
        "kind": "expectation",
        "text": EXPECTATION.text,
        "choices": [{"id": "accept", "text": "yes"}, {"id": "reject", "text": "no"}],
        "runs": [run_id(0)],
        "detail": EXPECTATION.detail,
        "choice": None,
        "answered_by": "",
        "answered_at": None,
    }
    assert (view["solve"]["state"], view["solve"]["champion"]) == ("awaiting_review", None)


async def test_it_is_answered_and_a_worker_goes_on(
    client: httpx.AsyncClient, engine: RecordingEngine, path: str
):
    seen = (await client.get(f"{HERE}/updates")).json()
    answer = await client.post(path, json={"choice": "accept"})
    assert (answer.status_code, answer.json()["state"]) == (200, "running")
    assert engine.concluded == [(SOLVE, 1)]
    [question] = (await client.get(HERE)).json()["questions"]
    assert (question["choice"], question["answered_by"]) == ("accept", "local")
    told = (await client.get(f"{HERE}/updates", params={"cursor": seen["cursor"]})).json()
    assert told["solve"]["state"] == "running"
    assert [event["kind"] for event in told["events"]] == ["solve.answered"]


async def test_an_engine_that_is_away_loses_no_answer(
    client: httpx.AsyncClient, engine: RecordingEngine, place: Place, path: str
):
    engine.broken = RuntimeError("away")
    assert (await client.post(path, json={"choice": "accept"})).status_code == 200
    assert (await solve_row(place.context)).state is SolveState.RUNNING


async def test_the_same_request_twice_is_one_answer(
    client: httpx.AsyncClient, engine: RecordingEngine, path: str
):
    headers = {"Idempotency-Key": "once"}
    for _ in range(2):
        answer = await client.post(path, json={"choice": "accept"}, headers=headers)
        assert answer.status_code == 200
    other = await client.post(path, json={"choice": "reject"}, headers=headers)
    problem(other, Code.IDEMPOTENCY_KEY_REUSED)


async def test_what_is_wrong_with_an_answer_is_said(client: httpx.AsyncClient, path: str):
    wrong = problem(await client.post(path, json={"choice": "maybe"}), Code.REFUSED)
    assert "accept, reject" in wrong["detail"]
    problem(await client.post(path, json={}), Code.INVALID_BODY)
    unknown = await client.post(f"{HERE}/questions/nope", json={"choice": "accept"})
    problem(unknown, Code.NOT_FOUND)
    assert (await client.post(path, json={"choice": "accept"})).status_code == 200
    other = problem(await client.post(path, json={"choice": "reject"}), Code.CONFLICT)
    assert "already: accept" in other["detail"]


async def test_one_that_waits_for_an_answer_can_be_dismissed(client: httpx.AsyncClient, path: str):
    assert (await client.post(f"{HERE}/dismiss", json={})).status_code == 200
    late = problem(await client.post(path, json={"choice": "accept"}), Code.CONFLICT)
    assert late["state"] == "completed"
    assert (await client.get(HERE)).json()["questions"] == []
