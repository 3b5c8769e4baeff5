"""Routes of conversations: what they answer, and what they say to every wrong input."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.support.api_client import Place, RecordingEngine
from tests.support.conversation_rows import ChatRows
from tests.support.forge.repositories import Repository
from tests.support.solve_rows import SOLVE, run_id
from yudai.kit.ids import ConversationId, short

NOWHERE = "0190a000-0000-7000-8000-0000000c9999"
URL = "https://github.com/owner/repo"
MATRIX = {"models": ["o3"]}


@pytest.fixture
async def here(client: httpx.AsyncClient) -> str:
    """The path of a conversation about a repository at a forge."""
    made = await client.post("/api/conversations", json={"title": "Sums", "repo_url": URL})
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"/api/conversations/{made.json()['id']}"
    return made.headers["location"]


async def said(client: httpx.AsyncClient, here: str) -> list[dict[str, Any]]:
    return (await client.get(f"{here}/messages")).json()["messages"]


def assert_problem(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]


async def test_a_conversation_is_created_read_and_listed(
    client: httpx.AsyncClient, here: str
) -> None:
    read = (await client.get(here)).json()
    assert (read["title"], read["repo_url"], read["solves"]) == ("Sums", URL, [])
    second = (await client.post("/api/conversations", json={})).json()
    page = (await client.get("/api/conversations", params={"limit": 1})).json()
    assert [each["id"] for each in page["conversations"]] == [second["id"]]
    rest = await client.get("/api/conversations", params={"cursor": page["cursor"]})
    assert [each["id"] for each in rest.json()["conversations"]] == [read["id"]]
    assert (rest.json()["cursor"], rest.json()["reset"]) == (None, False)


async def test_a_message_and_its_answer(client: httpx.AsyncClient, here: str) -> None:
    posted = await client.post(f"{here}/messages", json={"text": "Why?"})
    assert posted.status_code == 201
    assert (posted.json()["message"]["role"], posted.json()["solve_id"]) == ("user", None)
    messages = await said(client, here)
    assert [message["role"] for message in messages] == ["user", "yudai"]
    assert "CHAT_MODEL" in messages[1]["text"]


async def test_an_issue_is_solved_from_a_conversation(
    client: httpx.AsyncClient, here: str, engine: RecordingEngine
) -> None:
    answer = await client.post(f"{here}/issues/12/solve", json={"matrix": MATRIX})
    assert answer.status_code == 202, answer.text
    solve = answer.json()
    assert answer.headers["location"] == f"/api/solves/{solve['id']}"
    assert (solve["state"], solve["progress"]["total"]) == ("queued", 1)
    assert engine.started == [solve["id"]]
    [shown] = (await client.get(here)).json()["solves"]
    assert shown == solve | {"elapsed_s": shown["elapsed_s"]}
    [queued] = await said(client, here)
    assert (queued["milestone"], queued["links"]) == (
        "queued",
        {"solve": f"/api/solves/{solve['id']}"},
    )
    assert (await client.get(queued["links"]["solve"])).status_code == 200


async def test_the_body_of_a_solve_may_be_missing(client: httpx.AsyncClient, here: str) -> None:
    for body in (None, "null", "{}"):
        headers = {} if body is None else {"Content-Type": "application/json"}
        answer = await client.post(f"{here}/issues/12/solve", content=body, headers=headers)
        assert answer.status_code == 202, answer.text
        assert answer.json()["progress"]["total"] == 3


async def test_a_folder_is_solved_by_a_message(
    client: httpx.AsyncClient, repository: Repository, engine: RecordingEngine
) -> None:
    made = await client.post("/api/conversations", json={"repo_path": str(repository.root)})
    here = made.headers["location"]
    posted = await client.post(
        f"{here}/messages", json={"text": "/solve add(1, 2) is -1 model=o3 temp=0,1"}
    )
    assert posted.json()["solve_id"] == engine.started[0]
    messages = await said(client, here)
    named = f"Solve {short(engine.started[0])} (add(1, 2) is -1)"
    assert messages[1]["text"] == f"{named} is queued: 2 contestants."
    by_number = await client.post(f"{here}/issues/12/solve", json={"matrix": MATRIX})
    assert_problem(by_number, 422, "refused")


async def test_milestones_lead_to_the_champions_patch(
    client: httpx.AsyncClient, here: str, place: Place
) -> None:
    chat_rows = ChatRows(place.context.store)
    await chat_rows.solve(conversation_id=ConversationId(here.rpartition("/")[2]))
    await chat_rows.play()
    milestones = {message["milestone"]: message for message in await said(client, here)}
    run = f"/api/runs/{run_id(1)}"
    assert milestones["champion"]["links"] == {
        "solve": f"/api/solves/{SOLVE}",
        "run": run,
        "patch": f"{run}/patch",
    }
    [line] = (await client.get(here)).json()["solves"]
    assert (line["state"], line["champion"]) == ("awaiting_review", run_id(1))


async def test_a_repeated_post_is_one(
    client: httpx.AsyncClient, here: str, engine: RecordingEngine
) -> None:
    creating = [
        ("/api/conversations", {"title": "same"}),
        (f"{here}/messages", {"text": "/solve #12 model=o3"}),
        (f"{here}/issues/13/solve", {"matrix": MATRIX}),
    ]
    for number, (path, body) in enumerate(creating):
        headers = {"Idempotency-Key": f"key-{number}"}
        async with asyncio.TaskGroup() as group:
            sent = [
                group.create_task(client.post(path, json=body, headers=headers)) for _ in range(3)
            ]
        answers = [each.result() for each in sent]
        assert {answer.status_code for answer in answers} <= {201, 202}
        made = {json.dumps(answer.json(), sort_keys=True) for answer in answers}
        assert len(made) == 1
        other = await client.post(path, json=body | {"text": "x"} if "text" in body else {})
        assert other.status_code < 300
        reused = await client.post("/api/conversations", json={"title": "x"}, headers=headers)
        assert_problem(reused, 422, "idempotency_key_reused")
    # One by the message, one by its number, one more by its number without a key.
    assert len(engine.started) == 3


async def test_unknown_conversations(client: httpx.AsyncClient) -> None:
    for name in (NOWHERE, "x", "%00", "..%2f", "%ff", "1" * 5000):
        path = f"/api/conversations/{name}"
        for answer in (
            await client.get(path),
            await client.get(f"{path}/messages"),
            await client.post(f"{path}/messages", json={"text": "hello"}),
            await client.post(f"{path}/issues/1/solve"),
        ):
            assert_problem(answer, 404, "not_found")


async def test_bad_conversations(client: httpx.AsyncClient) -> None:
    bodies: list[Any] = [
        [],
        "text",
        {"title": 1},
        {"title": "x" * 201},
        {"title": "a\nb"},
        {"title": "a\x00b"},
        {"repo_url": ["x"]},
        {"repo_url": "x" * 1001},
        {"repo_path": {"a": 1}},
        {"repo_path": "/" + "x" * 4000},
        {"unknown": 1},
    ]
    for body in bodies:
        answer = await client.post("/api/conversations", json=body)
        assert_problem(answer, 422, "invalid_body")


async def test_bad_repositories(client: httpx.AsyncClient) -> None:
    bodies = [
        {"repo_url": "https://user:secret@github.com/owner/repo"},
        {"repo_url": "javascript:alert(1)"},
        {"repo_path": "../etc"},
        {"repo_url": URL, "repo_path": "/home"},
    ]
    for body in bodies:
        answer = await client.post("/api/conversations", json=body)
        assert_problem(answer, 422, "refused")
        assert "secret" not in answer.text


async def test_bad_messages(client: httpx.AsyncClient, here: str) -> None:
    bodies: list[tuple[Any, str]] = [
        ({}, "invalid_body"),
        ({"text": None}, "invalid_body"),
        ({"text": 5}, "invalid_body"),
        ({"text": ["a"]}, "invalid_body"),
        ({"text": ""}, "invalid_body"),
        ({"text": "a" * 20_001}, "invalid_body"),
        ({"text": "a", "role": "assistant"}, "invalid_body"),
        ({"text": " \n "}, "refused"),
        ({"text": "ü" * 15_000}, "refused"),
    ]
    for body, code in bodies:
        assert_problem(await client.post(f"{here}/messages", json=body), 422, code)
    assert await said(client, here) == []


async def test_odd_text_is_kept_fit_or_refused(client: httpx.AsyncClient, here: str) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
    for text, status in ((b"a\\u0000b \\u001b[31m", 201), (b"\\ud800", 422)):
        content = b'{"text": "' + text + b'"}'
        answer = await client.post(f"{here}/messages", content=content, headers=headers)
        assert answer.status_code == status, answer.text
    assert (await said(client, here))[0]["text"] == "a\ufffdb \x1b[31m"


async def test_bad_media(client: httpx.AsyncClient, here: str) -> None:
    sent = [
        (b'{"text": "a"}', "text/plain", 415, "unsupported_media_type"),
        (b"text=a", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b'{"text": "a', "application/json", 400, "malformed_body"),
        (b"\xff\xfe", "application/json", 400, "malformed_body"),
        (b'{"text": "' + b"a" * 1_000_001 + b'"}', "application/json", 413, "too_large"),
    ]
    for content, media_type, status, code in sent:
        headers = {"Content-Type": media_type}
        for path in ("/api/conversations", f"{here}/messages", f"{here}/issues/1/solve"):
            answer = await client.post(path, content=content, headers=headers)
            assert_problem(answer, status, code)


async def test_bad_issue_numbers(client: httpx.AsyncClient, here: str) -> None:
    for number in ("0", "-1", "x", "1.5", "9" * 30, "%00"):
        answer = await client.post(f"{here}/issues/{number}/solve", json={"matrix": MATRIX})
        assert_problem(answer, 422, "invalid_parameter")


async def test_bad_solves(client: httpx.AsyncClient, here: str, engine: RecordingEngine) -> None:
    bodies: list[tuple[Any, str]] = [
        ({"matrix": {"models": []}}, "invalid_body"),
        ({"matrix": {"models": ["o3"], "temps": ["hot"]}}, "invalid_body"),
        ({"matrix": []}, "invalid_body"),
        ({"limits": {"max_parallel": 0}}, "invalid_body"),
        ({"issue_text": 5}, "invalid_body"),
        ({"unknown": 1}, "invalid_body"),
        ({"issue_number": 2}, "refused"),
        ({"matrix": {"models": ["no-such-model"]}}, "refused"),
        ({"repo_url": "file:///", "repo_path": "/"}, "refused"),
        ({"reducer": "best"}, "refused"),
    ]
    for body, code in bodies:
        assert_problem(await client.post(f"{here}/issues/1/solve", json=body), 422, code)
    assert engine.started == []
    assert await said(client, here) == []


async def test_bad_cursors_begin_again(client: httpx.AsyncClient, here: str) -> None:
    await client.post(f"{here}/messages", json={"text": "hello"})
    for cursor in ("", "x", "-1", "9" * 25, "\x00", "%", "ü", "1 OR 1=1"):
        for path, name, items in (
            ("/api/conversations", "cursor", "conversations"),
            (f"{here}/messages", "after", "messages"),
            (f"{here}/messages", "before", "messages"),
        ):
            answer = await client.get(path, params={name: cursor})
            assert answer.status_code == 200, answer.text
            assert answer.json()["reset"] is (cursor != "")
            assert answer.json()[items]


async def test_bad_limits(client: httpx.AsyncClient, here: str) -> None:
    for limit in ("0", "-1", "201", "x", "1e9"):
        for path in ("/api/conversations", f"{here}/messages"):
            answer = await client.get(path, params={"limit": limit})
            assert_problem(answer, 422, "invalid_parameter")


async def test_bad_keys(client: httpx.AsyncClient, here: str) -> None:
    for key in ("", "a b", "x" * 201):
        for path, body in (
            ("/api/conversations", {}),
            (f"{here}/messages", {"text": "a"}),
            (f"{here}/issues/1/solve", {}),
        ):
            answer = await client.post(path, json=body, headers={"Idempotency-Key": key})
            assert_problem(answer, 422, "invalid_parameter")


async def test_two_cursors_and_other_methods(client: httpx.AsyncClient, here: str) -> None:
    both = await client.get(f"{here}/messages", params={"after": "1", "before": "2"})
    assert_problem(both, 422, "refused")
    other = await client.delete(here)
    assert_problem(other, 405, "method_not_allowed")
    assert other.headers["allow"] == "GET"


async def test_a_solve_that_was_begun_elsewhere_gets_a_conversation(
    client: httpx.AsyncClient, here: str
) -> None:
    ask = {"repo_url": URL, "issue_number": 7, "matrix": MATRIX}
    solve_id = (await client.post("/api/solves", json=ask)).json()["id"]
    made = await client.post("/api/conversations", json={"solve_id": solve_id})
    assert made.status_code == 201, made.text
    assert "7" in made.json()["title"]
    assert made.json()["repo_url"] == URL
    read = (await client.get(made.headers["location"])).json()
    assert [solve["id"] for solve in read["solves"]] == [solve_id]
    told = await said(client, made.headers["location"])
    assert [message["milestone"] for message in told] == ["queued"]

    again = await client.post("/api/conversations", json={"solve_id": solve_id})
    assert_problem(again, 409, "conflict")
    unknown = await client.post("/api/conversations", json={"solve_id": NOWHERE})
    assert_problem(unknown, 404, "not_found")
    listed = (await client.get("/api/conversations")).json()["conversations"]
    assert {each["id"] for each in listed} == {made.json()["id"], here.rpartition("/")[2]}
