"""Solves over HTTP: opened once, listed, read, cancelled, and a champion chosen by a person."""

import asyncio
import base64
import json
from collections.abc import Callable
from itertools import product
from typing import Any

import httpx
import pytest

from tests.api.test_http import UNKNOWN, problem
from tests.support.api_client import UNCALLABLE, Place, RecordingEngine
from tests.support.forge.repositories import Repository
from tests.support.solve_rows import SOLVE, Ring, failed, passed, run_id
from yudai.api.errors import Code
from yudai.kit.ids import SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.request import EXAMPLE_REMOTE, MAX_ISSUE, MAX_MODELS
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.views import documents

MISSION = json.loads(
    '{"repo_url":"https://github.com/owner/repo","issue_number":123,"base_branch":"main",'
    '"matrix":{"models":["gpt-4.1","claude-3.7-sonnet","local-solo"],"temps":[0.2,0.6],'
    '"max_edits":[3,5],"evolution":["test-first","stacktrace-first","small-steps"]},'
    '"limits":{"max_parallel":6,"time_budget_s":1800}}'
)
STRANGE_IDS = [
    *("x", "latest", UNKNOWN[-8:], UNKNOWN.upper().replace("0", "A"), "%00", "%ff", "%F0%9F%98%80"),
    *("a" * 5000, "..%2f..", "'; DROP TABLE solves --", "%20"),
]


@pytest.fixture
def folder(repository: Repository) -> dict[str, Any]:
    return {
        "repo_path": str(repository.root),
        "issue_text": "add subtracts\n\nIt should add.",
        "matrix": {"models": ["gpt-4.1"]},
    }


async def stored(place: Place, solve_id: str) -> SolveRow:
    async with place.context.store.read() as db:
        return await solves.get(db, SolveId(solve_id))


async def count(client: httpx.AsyncClient) -> int:
    return len((await client.get("/api/solves?limit=100")).json()["solves"])


@pytest.mark.parametrize("path", ["/api/solves", "/solve"])
async def test_the_body_of_the_mission_is_accepted_word_for_word(
    client: httpx.AsyncClient, place: Place, engine: RecordingEngine, path: str
):
    assert MISSION == EXAMPLE_REMOTE
    answer = await client.post(path, json=MISSION)
    assert answer.status_code == 202, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"/api/solves/{made['id']}" == made["links"]["self"]
    assert made["state"] == "queued"
    assert made["repo"] == "owner/repo"
    # 3 x 2 x 2 x 3 cells, and the server starts a dozen.
    assert made["progress"]["total"] == made["progress"]["queued"] == 12
    assert engine.started == [made["id"]]
    row = await stored(place, made["id"])
    assert (row.repo_url, row.base) == ("https://github.com/owner/repo", None)
    assert (row.base_branch, row.issue_number, row.issue_title) == ("main", 123, "#123")
    assert row.matrix.models == ("openai/gpt-4.1", "anthropic/claude-3.7-sonnet", "local-solo")
    assert (row.budget.max_parallel, row.budget.time_budget_s) == (6, 1800)
    assert (len(row.not_started), row.durable, row.user_id) == (24, True, "local")
    status = (await client.get(f"/solve/{made['id']}/status")).json()
    assert (status["id"], status["state"], status["champion"]) == (made["id"], "queued", None)
    assert status["progress"] == made["progress"]


async def test_a_folder_is_looked_at_before_the_solve_is_opened(
    client: httpx.AsyncClient, place: Place, folder: dict[str, Any], repository: Repository
):
    body = folder | {
        "limits": {"budget_usd": 2.5, "run_budget_usd": 9, "max_runs": 3, "max_steps": 7},
        "setup": ["make install", " "],
        "test": "make test",
        "require_proof": False,
        "reducer": "first",
        "issue_title": "Sums",
        "issue_number": 4,
    }
    answer = await client.post("/api/solves", json=body)
    assert answer.status_code == 202, answer.text
    row = await stored(place, answer.json()["id"])
    assert row.snapshot is not None
    assert (row.snapshot.root, row.base_commit) == (repository.root, repository.head)
    assert (row.project.setup, row.project.test) == (("make install",), "make test")
    assert (row.budget.cost_cap_micros, row.budget.run_cost_cap_micros) == (2_500_000, 2_500_000)
    assert (row.budget.max_contestants, row.budget.max_steps) == (3, 7)
    assert (row.reducer, row.require_proof) == ("first", False)
    assert (row.issue_title, row.issue_number) == ("Sums", 4)
    assert row.issue_body == folder["issue_text"]


@pytest.mark.parametrize("spell", [lambda path: path, lambda path: f"file://{path}"])
async def test_a_folder_may_stand_where_a_url_does(
    client: httpx.AsyncClient,
    place: Place,
    folder: dict[str, Any],
    spell: Callable[[str], str],
):
    body = {**folder, "repo_url": spell(folder["repo_path"])}
    del body["repo_path"]
    answer = await client.post("/api/solves", json=body)
    assert answer.status_code == 202, answer.text
    row = await stored(place, answer.json()["id"])
    assert (row.repo, row.repo_url) == ("folder", "")


WRONG: list[tuple[str, dict[str, Any]]] = [
    *[("matrix", {"matrix": value}) for value in (None, [], "x", 1)],
    ("matrix.models", {"matrix": {}}),
    *[("matrix.models", {"matrix": {"models": value}}) for value in ("x", [], None, {"a": 1})],
    *[("matrix.models.0", {"matrix": {"models": [value]}}) for value in (1, None, [], "")],
    ("matrix.models", {"matrix": {"models": ["a\nb"]}}),
    ("matrix.models", {"matrix": {"models": ["a" * 301]}}),
    ("matrix.models", {"matrix": {"models": ["a"] * (MAX_MODELS + 1)}}),
    ("matrix.temps", {"matrix": {"models": ["a"], "temps": ["0.2"]}}),
    ("matrix.max_edits", {"matrix": {"models": ["a"], "max_edits": [True]}}),
    ("matrix.temperatures", {"matrix": {"models": ["a"], "temperatures": [0.2] * 1001}}),
    ("matrix.agents", {"matrix": {"models": ["a"], "agents": ["a" * 1000]}}),
    ("matrix.temps", {"matrix": {"models": ["a"], "temps": [0.2], "temperatures": [0.3]}}),
    ("matrix.temps.0", {"matrix": {"models": ["a"], "temps": [2.1]}}),
    ("matrix.temperatures", {"matrix": {"models": ["a"], "temperatures": 0.2}}),
    ("matrix.max_edits.0", {"matrix": {"models": ["a"], "max_edits": [0]}}),
    ("matrix.max_edits.0", {"matrix": {"models": ["a"], "max_edits": [1.5]}}),
    ("matrix.evolution.0", {"matrix": {"models": ["a"], "evolution": ["magic"]}}),
    ("matrix.surprise", {"matrix": {"models": ["a"], "surprise": 1}}),
    *[
        (f"limits.{name}", {"limits": {name: value}})
        for name in ("max_parallel", "max_runs", "max_steps")
        for value in (0, -1, 1.5, "6", True, 10**30)
    ],
    *[
        (f"limits.{name}", {"limits": {name: value}})
        for name in ("time_budget_s", "run_time_budget_s")
        for value in (0, -1, "6", True, 1e300, 10**30)
    ],
    *[
        (f"limits.{name}", {"limits": {name: value}})
        for name in ("budget_usd", "run_budget_usd")
        for value in (-0.01, "6", True, 1e300)
    ],
    ("limits.surprise", {"limits": {"surprise": 1}}),
    ("limits", {"limits": []}),
    *[("issue_number", {"issue_number": value}) for value in (0, -1, "1", 1.5, True, 10**30)],
    *[("issue_text", {"issue_text": value}) for value in (1, None, [], "x" * (MAX_ISSUE + 1))],
    ("issue_title", {"issue_title": "x" * 501}),
    *[("repo_url", {"repo_url": value}) for value in (1, "x" * 1001, "https://a/b/c\n")],
    *[("repo_path", {"repo_path": value}) for value in (1, "/" * 4001, "/a\0b")],
    *[("base_branch", {"base_branch": value}) for value in (1, "x" * 301, "a\0b", "a\nb")],
    *[("dirty", {"dirty": value}) for value in ("yes", 1, None)],
    *[("require_proof", {"require_proof": value}) for value in ("no", 0)],
    *[("setup", {"setup": value}) for value in ("make", {}, [""] * 51)],
    *[("setup.0", {"setup": [value]}) for value in (1, "a\0b", "x" * 10_001)],
    *[("test", {"test": value}) for value in (1, "a\0b", "x" * 10_001)],
    *[("env", {"env": value}) for value in (1, "/a\0b")],
    *[("reducer", {"reducer": value}) for value in (1, "x" * 65)],
    *[("prices", {"prices": value}) for value in ([], 1)],
    ("prices.gpt-4.1.output_usd", {"prices": {"gpt-4.1": {"input_usd": 1}}}),
    *[
        ("prices.gpt-4.1.input_usd", {"prices": {"gpt-4.1": {"input_usd": v, "output_usd": 1}}})
        for v in (-1, "1", 10_001, True)
    ],
    ("surprise", {"surprise": 1}),
]


async def test_every_field_that_is_wrong_is_named(
    client: httpx.AsyncClient, engine: RecordingEngine, folder: dict[str, Any]
):
    for field, change in WRONG:
        answer = await client.post("/api/solves", json=folder | change)
        errors = problem(answer, Code.INVALID_BODY)["errors"]
        assert any(error["field"].startswith(field) for error in errors), (field, change, errors)
    assert not engine.started
    assert await count(client) == 0


async def test_numbers_that_are_none_do_not_fit(client: httpx.AsyncClient):
    limits = ('"limits":{"time_budget_s":%s}', '"limits":{"budget_usd":%s}')
    for path, text in product(limits, ("NaN", "Infinity", "-Infinity", "1e999")):
        content = json.dumps(MISSION | {"limits": 0}).replace('"limits": 0', path % text)
        answer = await client.post(
            "/api/solves", content=content, headers={"Content-Type": "application/json"}
        )
        problem(answer, Code.INVALID_BODY)


NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"repo_url": "https://github.com/o/r"}, "name the repository once"),
    ({"repo_path": ""}, "name the repository once"),
    ({"repo_path": "folder"}, "absolute path"),
    ({"repo_path": "~/folder"}, "absolute path"),
    ({"repo_path": "/no/such/folder"}, "there is no folder /no/such/folder"),
    ({"repo_path": "/"}, "not a git repository"),
    ({"issue_text": " \n "}, "say what to solve"),
    ({"issue_text": "", "issue_number": 3}, "say what to solve"),
    ({"issue_text": "x" * 501}, "first line"),
    ({"issue_text": "###\nx"}, "first line"),
    ({"base_branch": "no-such-branch"}, "no-such-branch"),
    ({"reducer": "magic"}, "magic"),
    ({"matrix": {"models": ["gpt-4.1"], "agents": ["robot"]}}, "no agent 'robot'"),
    ({"matrix": {"models": ["gpt-41"]}}, "did you mean gpt-4.1"),
    ({"matrix": {"models": ["gpt-4.1"], "temps": [0.1] * 999, "max_edits": [1, 2]}}, "cells"),
    ({"limits": {"budget_usd": 0}}, "cost cap is $0"),
    ({"prices": {"gpt-4o": {"input_usd": 1, "output_usd": 1}}}, "no contestant uses"),
    (
        {"prices": {"gpt-4.1": {"input_usd": 1, "output_usd": 1, "cached_usd": 2}}},
        "cached tokens",
    ),
    (
        {
            "matrix": {"models": [UNCALLABLE]},
            "prices": {UNCALLABLE: {"input_usd": 1, "output_usd": 1}},
        },
        "needs a key",
    ),
]


async def test_what_makes_no_sense_is_refused(client: httpx.AsyncClient, folder: dict[str, Any]):
    for change, words in NONSENSE:
        answer = await client.post("/api/solves", json=folder | change)
        assert words in problem(answer, Code.REFUSED)["detail"]
    assert await count(client) == 0


async def test_only_plain_urls_of_repositories_are_taken(client: httpx.AsyncClient):
    for url in (
        *("http://github.com/o/r", "https://github.com/o", "https://github.com/o/r/tree/main"),
        *("git@github.com:o/r.git", "https://u:p@github.com/o/r", "https://github.com/o/r?x=1"),
        *(
            "ssh://git@github.com/o/r",
            "https:///o/r",
            "https://github.com/../r",
            "o/..",
            "https://",
        ),
        *("file://elsewhere/folder", "file:relative", "https://github.com/o/r#1", "//a/b/c"),
        *("file:///%ff", "file://[/a", "https://github.com/o/r/\u0661"),
        # Somebody else's forge is never asked, nor anything that passes for ours.
        *("https://git.example.org:8443/o/r/", "https://github.com.evil.org/o/r"),
        *("http://127.0.0.1:6379/o/r", "http://[::1]/o/r", "https://127.0.0.1/o/r"),
    ):
        problem(await client.post("/api/solves", json=MISSION | {"repo_url": url}), Code.REFUSED)


async def test_a_url_is_kept_in_one_spelling(client: httpx.AsyncClient, place: Place):
    for url, kept in (
        ("https://GitHub.com/Owner/Repo.git", "https://github.com/Owner/Repo"),
        ("Owner/Repo", "https://github.com/Owner/Repo"),
        # The forge knows how it is spelt.
        ("owner/REPO", "https://github.com/Owner/Repo"),
    ):
        answer = await client.post("/api/solves", json=MISSION | {"repo_url": url})
        assert (await stored(place, answer.json()["id"])).repo_url == kept


async def test_a_model_is_found_by_what_its_provider_calls_it(
    client: httpx.AsyncClient, place: Place
):
    price = {"input_usd": 1, "output_usd": 2}
    put = {"model_id": "qwen3:8b", "provider": "local", "price": price, "aliases": ["little"]}
    assert (await client.put("/api/models/mine", json=put)).status_code == 200
    matrix = {"models": ["qwen3:8b", "little", "mine"]}
    answer = await client.post("/api/solves", json=MISSION | {"matrix": matrix})
    row = await stored(place, answer.json()["id"])
    assert [(model.name, model.model_id) for model in row.models] == [("mine", "qwen3:8b")]


async def test_the_same_key_and_body_make_one_solve(
    client: httpx.AsyncClient, engine: RecordingEngine
):
    headers = {"Idempotency-Key": "a-key"}
    first = await client.post("/api/solves", json=MISSION, headers=headers)
    assert "idempotency-replayed" not in first.headers
    spaced = json.dumps(MISSION, indent=4)
    for path in ("/api/solves", "/solve"):
        again = await client.post(
            path, content=spaced, headers=headers | {"Content-Type": "application/json"}
        )
        assert again.status_code == 202
        assert again.headers["idempotency-replayed"] == "true"
        assert again.json()["id"] == first.json()["id"]
        assert again.headers["location"] == first.headers["location"]
    assert await count(client) == 1
    assert set(engine.started) == {first.json()["id"]}
    other = await client.post("/api/solves", json=MISSION | {"issue_number": 7}, headers=headers)
    problem(other, Code.IDEMPOTENCY_KEY_REUSED)
    assert await count(client) == 1


async def test_many_at_once_with_one_key_make_one_solve(
    client: httpx.AsyncClient, folder: dict[str, Any]
):
    async with asyncio.TaskGroup() as group:
        sent = [
            group.create_task(
                client.post("/api/solves", json=folder, headers={"Idempotency-Key": "k"})
            )
            for _ in range(5)
        ]
    answers = [task.result() for task in sent]
    assert [answer.status_code for answer in answers] == [202] * 5
    assert len({answer.json()["id"] for answer in answers}) == 1
    replayed = [answer.headers.get("idempotency-replayed") for answer in answers]
    assert sorted(replayed, key=str) == [None, "true", "true", "true", "true"]
    assert await count(client) == 1


async def test_a_request_that_was_refused_leaves_its_key_free(client: httpx.AsyncClient):
    headers = {"Idempotency-Key": "k"}
    bad = await client.post("/api/solves", json=MISSION | {"reducer": "magic"}, headers=headers)
    problem(bad, Code.REFUSED)
    good = await client.post("/api/solves", json=MISSION, headers=headers)
    assert (good.status_code, "idempotency-replayed" in good.headers) == (202, False)


async def test_a_key_is_a_short_printable_word(client: httpx.AsyncClient):
    for key in ("", "x" * 201, "a b", "\x7f"):
        answer = await client.post("/api/solves", json=MISSION, headers={"Idempotency-Key": key})
        problem(answer, Code.INVALID_PARAMETER)


async def test_an_engine_that_is_away_does_not_lose_the_solve(
    client: httpx.AsyncClient, engine: RecordingEngine
):
    engine.broken = RuntimeError("away")
    answer = await client.post("/api/solves", json=MISSION)
    assert (answer.status_code, await count(client)) == (202, 1)


async def test_pages_go_through_all_solves_newest_first(client: httpx.AsyncClient, ring: Ring):
    ids = [f"0190a000-0000-7000-8000-0000000000{number:02x}" for number in range(7)]
    for number, solve_id in enumerate(ids):
        # Several at one moment: the id decides.
        moment = 1000.0 + number // 3
        await ring.solve(passed(), None, id=solve_id, created_at=moment)
    seen: list[str] = []
    cursor = ""
    for expected in (3, 3, 1):
        url = f"/api/solves?limit=3&cursor={cursor}"
        page = (await client.get(url)).json()
        assert (len(page["solves"]), page["reset"]) == (expected, False)
        seen += [solve["id"] for solve in page["solves"]]
        cursor = page["cursor"]
    assert cursor is None
    assert seen == ids[::-1]
    exact = (await client.get("/api/solves?limit=7")).json()
    assert (len(exact["solves"]), exact["cursor"]) == (7, None)
    one = exact["solves"][0]
    assert one["progress"] == {
        "total": 2,
        "queued": 0,
        "running": 1,
        "verifying": 0,
        "completed": 1,
        "failed": 0,
        "cancelled": 0,
    }
    assert one["cost_usd"] == pytest.approx(0.005)
    assert one["champion"] == run_id(0, SolveId(ids[-1]))


async def test_a_cursor_that_means_nothing_begins_again(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    strange = [
        *("x", "%00", "a" * 5000, "%F0%9F%98%80", "====", "AAAA", "%FF"),
        *(
            base64.urlsafe_b64encode(text.encode()).decode()
            for text in ("nan id", "inf id", "0x1p+9999 id", "0x1p+0", "0x1p+0 ", "0x1p+0 a\0b")
        ),
    ]
    for cursor in strange:
        answer = await client.get(f"/api/solves?cursor={cursor}")
        page = answer.json()
        assert (answer.status_code, page["reset"], len(page["solves"])) == (200, True, 1), cursor


async def test_lists_are_narrowed(client: httpx.AsyncClient, ring: Ring):
    talk, other = UNKNOWN, UNKNOWN.replace("7", "8")
    await ring.solve(passed(), conversation_id=talk)
    await ring.solve(None, id=UNKNOWN, state=SolveState.RUNNING)
    await ring.solve(id=UNKNOWN[:-1] + "1", user_id="somebody")

    async def ids(query: str) -> list[str]:
        return [one["id"] for one in (await client.get(f"/api/solves?{query}")).json()["solves"]]

    assert await ids("state=running") == [UNKNOWN]
    assert await ids("state=failed") == []
    assert await ids(f"conversation_id={talk}") == [SOLVE]
    assert await ids(f"conversation_id={other}") == []
    assert set(await ids("")) == {SOLVE, UNKNOWN}


async def test_wrong_parameters_are_named(client: httpx.AsyncClient):
    for query in (
        *("limit=0", "limit=101", "limit=x", "limit=1.5", "limit=", "limit=99999999999999999999"),
        *("state=happy", "state=", "conversation_id=%00", "conversation_id=x y"),
    ):
        answer = await client.get(f"/api/solves?{query}")
        errors = problem(answer, Code.INVALID_PARAMETER)["errors"]
        # Each of several states is one of its own.
        named = [error["field"].removesuffix(".0") for error in errors]
        assert named == [query.partition("=")[0]]


async def test_a_solve_is_shown_with_everything(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed(), failed(), None, not_started=(), deadline_at=5.0)
    async with ring.store.change() as db:
        await runs.change(
            db, run_id(1), attempt=2, earlier_cost_micros=1000, exit_status="Submitted"
        )
        await events.append(db, SOLVE, kind="run.started", at=1.0, run_id=run_id(0))
    view = (await client.get(f"/api/solves/{SOLVE}")).json()
    document = await documents.document(ring.context, SOLVE)
    told = json.loads(document.model_dump_json())
    assert {name: view[name] for name in told} == told
    assert view["deadline_at"] == 5.0
    assert view["matrix"]["models"] == ["vendor/fast"]
    assert view["budget"]["max_parallel"] == 4
    assert view["progress"]["total"] == 3
    assert [run["id"] for run in view["runs"]] == [run_id(n) for n in range(3)]
    second = view["runs"][1]
    assert second["attempt"] == 2
    assert (second["cost_usd"], second["earlier_cost_usd"]) == (0.0035, 0.001)
    assert (second["api_calls"], second["exit_status"]) == (2, "Submitted")
    assert second["links"]["patch"] == f"/api/runs/{run_id(1)}/patch"
    assert [(event["kind"], event["run_id"]) for event in view["events"]] == [
        ("run.started", run_id(0))
    ]


async def test_only_a_whole_id_finds_a_solve(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    await ring.solve(id=UNKNOWN, user_id="somebody")
    for strange in (*STRANGE_IDS, SOLVE[-8:], SOLVE.upper(), UNKNOWN):
        for method, path in (
            ("GET", f"/api/solves/{strange}"),
            ("POST", f"/api/solves/{strange}/cancel"),
            ("GET", f"/solve/{strange}/status"),
        ):
            problem(await client.request(method, path), Code.NOT_FOUND)
        body = {"run_id": run_id(0), "reason": "x"}
        answer = await client.post(f"/api/solves/{strange}/champion", json=body)
        problem(answer, Code.NOT_FOUND)


async def test_a_solve_is_cancelled_once(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed(), None, state=SolveState.RUNNING, finished_at=None)
    answer = await client.post(f"/api/solves/{SOLVE}/cancel")
    assert answer.status_code == 200
    assert answer.json()["state"] == "cancelled"
    progress = answer.json()["progress"]
    assert (progress["completed"], progress["cancelled"], progress["running"]) == (1, 1, 0)
    again = await client.post(f"/api/solves/{SOLVE}/cancel")
    assert problem(again, Code.CONFLICT)["state"] == "cancelled"


async def test_what_awaits_review_is_not_cancelled(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    answer = await client.post(f"/api/solves/{SOLVE}/cancel")
    assert problem(answer, Code.CONFLICT)["state"] == "awaiting_review"


async def test_a_person_chooses_another_champion(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed(), failed())
    choice = {"run_id": run_id(1), "reason": " reads\n  better "}
    answer = await client.post(f"/api/solves/{SOLVE}/champion", json=choice)
    assert answer.status_code == 200, answer.text
    assert answer.json()["champion"] == run_id(1)
    assert answer.json()["state"] == "awaiting_review"
    assert answer.json()["reason"] == "chosen by a person: reads better"
    view = (await client.get(f"/api/solves/{SOLVE}")).json()
    [event] = view["events"]
    assert (event["kind"], event["run_id"]) == ("champion.chosen", run_id(1))
    assert event["data"] == {"was": run_id(0), "reason": "reads better", "by": "local"}
    back = await client.post(
        f"/api/solves/{SOLVE}/champion", json={"run_id": run_id(0), "reason": "no"}
    )
    assert back.json()["champion"] == run_id(0)


async def test_a_person_may_choose_where_the_ranking_abstained(
    client: httpx.AsyncClient, ring: Ring
):
    await ring.solve(failed(), failed(), state=SolveState.RUNNING)
    async with ring.store.change() as db:
        await solves.advance(db, SOLVE, SolveEvent.ABSTAINED, at=1.0)
    for number in (0, 1):
        choice = {"run_id": run_id(number), "reason": "good enough"}
        answer = await client.post(f"/api/solves/{SOLVE}/champion", json=choice)
        assert (answer.json()["champion"], answer.json()["state"]) == (run_id(number), "completed")
    async with ring.store.change() as db:
        await events.append(db, SOLVE, kind="patch.applied", at=2.0)
    late = await client.post(f"/api/solves/{SOLVE}/champion", json=choice)
    assert problem(late, Code.CONFLICT)["state"] == "completed"


@pytest.mark.parametrize("state", ["queued", "running", "completed", "failed", "cancelled"])
async def test_there_is_a_time_for_choosing(client: httpx.AsyncClient, ring: Ring, state: str):
    await ring.solve(passed(), state=SolveState(state))
    choice = {"run_id": run_id(0), "reason": "x"}
    answer = await client.post(f"/api/solves/{SOLVE}/champion", json=choice)
    assert problem(answer, Code.CONFLICT)["state"] == state


async def test_only_a_completed_run_of_the_solve_can_be_chosen(
    client: httpx.AsyncClient, ring: Ring
):
    await ring.solve(passed(), None)
    other = SolveId(UNKNOWN)
    await ring.solve(passed(), id=other)

    async def choose(run: str) -> httpx.Response:
        body = {"run_id": run, "reason": "x"}
        return await client.post(f"/api/solves/{SOLVE}/champion", json=body)

    assert "is running" in problem(await choose(run_id(1)), Code.REFUSED)["detail"]
    problem(await choose(run_id(0, other)), Code.REFUSED)
    problem(await choose("\0"), Code.REFUSED)
    async with ring.store.change() as db:
        await runs.advance(db, run_id(1), RunEvent.CANCELLED, at=1.0)
    problem(await choose(run_id(1)), Code.REFUSED)
    assert (await client.get(f"/solve/{SOLVE}/status")).json()["champion"] == run_id(0)


async def test_a_choice_has_a_run_and_a_reason(client: httpx.AsyncClient):
    for field, value in (
        *[("run_id", value) for value in (1, "", "x" * 65, None)],
        *[("reason", value) for value in (1, "", " \n", "x" * 501, None)],
        ("more", 1),
    ):
        body = {"run_id": run_id(0), "reason": "x", field: value}
        answer = await client.post(f"/api/solves/{UNKNOWN}/champion", json=body)
        errors = problem(answer, Code.INVALID_BODY)["errors"]
        assert [error["field"] for error in errors] == [field]
