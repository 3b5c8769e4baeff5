"""Runs over HTTP: what they are, what they made, and ending one."""

import gzip
import hashlib
import json
from typing import Any

import httpx
import pytest

from tests.api.test_http import UNKNOWN, problem
from tests.support.api_client import Place
from tests.support.solve_rows import SOLVE, Ring, passed, run_id
from tests.support.trajectories import CHAT, DIFF
from tests.support.updates_client import Scene
from yudai.api.downloads import ASK_AGAIN, FOR_EVER
from yudai.api.errors import Code
from yudai.artifacts import queries as artifacts
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.kit.ids import RunId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.tables import MessageRow, RunRow
from yudai.solves.domain.states import SolveState

RUN = f"/api/runs/{run_id(0)}"
PARTS = (
    *("", "/attempts", "/plan", "/steps", "/messages", "/trajectory.json", "/patch", "/tests"),
    *("/logs/test", "/logs/baseline", "/steps/0/raw", "/messages/0/raw"),
    *("/logs/setup", "/logs/agent", "/messages/0/diff"),
)


@pytest.fixture
async def finished(ring: Ring) -> None:
    """A solve with two judged runs, the first with all that a run can have."""
    await ring.solve(passed(), passed())
    await keep(ring, ArtifactKind.PLAN, b'{"steps": ["look", "mend"], "before_first_edit": true}')
    await keep(ring, ArtifactKind.TRAJECTORY, json.dumps({"messages": list(CHAT)}).encode())
    await keep(ring, ArtifactKind.TEST_LOG, b"1 passed\n")
    await keep(ring, ArtifactKind.BASELINE_LOG, b"\x1b[31mbase\xff\n", of_solve=True)
    await keep(ring, ArtifactKind.SETUP_LOG, b"$ pip install\n\xffdone\n", of_solve=True)


@pytest.fixture
async def scene(place: Place) -> Scene:
    opened = Scene(place.context.store)
    await opened.open(lanes=2)
    return opened


def url(scene: Scene, place: int = 0) -> str:
    return f"/api/runs/{scene.run(place)}"


async def keep(
    ring: Ring, kind: ArtifactKind, blob: bytes, *, of_solve: bool = False
) -> ArtifactRef:
    ref = await ring.context.artifacts.put(kind, blob)
    async with ring.store.change() as db:
        await artifacts.add(db, SOLVE, None if of_solve else run_id(0), ref, at=0.0)
    return ref


async def row(place: Place, run: RunId) -> RunRow:
    async with place.context.store.read() as db:
        return await runs.get(db, run)


def is_download(answer: httpx.Response, *, kept: str) -> None:
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert answer.headers["content-security-policy"] == "sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == kept


async def test_a_run_says_what_it_is_and_where_its_parts_are(
    client: httpx.AsyncClient, finished: None
):
    run = (await client.get(RUN)).json()
    assert (run["id"], run["solve_id"], run["state"]) == (run_id(0), SOLVE, "completed")
    assert (run["step_limit"], run["rank"], run["verdict"]["status"]) == (80, 1, "passed")
    links = run["links"]
    assert links["patch"] == f"{RUN}/patch?v={hashlib.sha256(DIFF.encode()).hexdigest()}"
    for name, link in links.items():
        if name != "cancel":
            assert (await client.get(link)).status_code == 200, name


async def test_an_unknown_run_is_not_found(client: httpx.AsyncClient, finished: None):
    for run in (UNKNOWN, "x", "%00", "..%2f..%2fetc", run_id(0)[-8:]):
        for part in PARTS:
            problem(await client.get(f"/api/runs/{run}{part}"), Code.NOT_FOUND)


async def test_anothers_run_is_not_found(client: httpx.AsyncClient, place: Place):
    other = Scene(place.context.store)
    await other.open(lanes=1, user_id="somebody")
    await other.say(0, "secret")
    for part in PARTS:
        problem(await client.get(url(other) + part), Code.NOT_FOUND)
    problem(await client.post(f"{url(other)}/cancel"), Code.NOT_FOUND)
    assert (await row(place, other.run(0))).state is RunState.RUNNING


async def test_what_is_not_there_yet_says_so(client: httpx.AsyncClient, scene: Scene):
    for part in (
        "plan",
        "patch",
        "tests",
        "logs/test",
        "logs/baseline",
        "steps/0/raw",
        "logs/setup",
    ):
        told = problem(await client.get(f"{url(scene)}/{part}"), Code.NOT_YET)
        assert told["status"] == 404


async def test_what_never_came_says_so_too(client: httpx.AsyncClient, scene: Scene):
    await client.post(f"{url(scene)}/cancel")
    told = problem(await client.get(f"{url(scene)}/patch"), Code.NOT_YET)
    assert told["detail"] == "this run is cancelled and has no patch: it ended before that"


async def test_one_run_is_cancelled_and_the_others_go_on(
    client: httpx.AsyncClient, scene: Scene, place: Place
):
    answer = await client.post(f"{url(scene)}/cancel")
    assert answer.status_code == 200
    assert answer.json()["state"] == "cancelled"
    assert answer.json()["finished_at"] is not None
    assert (await row(place, scene.run(1))).state is RunState.RUNNING
    told = (await client.get(f"/api/solves/{scene.id}")).json()
    assert told["solve"]["state"] == SolveState.RUNNING
    assert [(e["kind"], e["run_id"]) for e in told["events"]] == [("run.cancelled", scene.run(0))]


@pytest.mark.parametrize("state", [RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED])
async def test_what_has_ended_is_not_cancelled(
    client: httpx.AsyncClient, scene: Scene, place: Place, state: RunState
):
    async with place.context.store.change() as db:
        (await runs.get(db, scene.run(0))).state = state
    told = problem(await client.post(f"{url(scene)}/cancel"), Code.CONFLICT)
    assert told["state"] == state
    assert (await row(place, scene.run(0))).state is state


async def test_every_attempt_is_there_with_its_cost(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, "a", "b")
    await scene.change(0, cost_micros=1_500_000)
    await scene.retry(0)
    await scene.say(0, "c")
    first, second = (await client.get(f"{url(scene)}/attempts")).json()["attempts"]
    assert (first["number"], first["cause"], first["cost_usd"]) == (1, "worker_lost", 1.5)
    assert (first["message_count"], second["message_count"]) == (2, 1)
    assert (second["number"], second["state"], second["cause"]) == (2, "running", None)
    old = (await client.get(first["links"]["messages"])).json()
    assert [m["text"] for m in old["messages"]] == ["a", "b"]
    new = (await client.get(f"{url(scene)}/messages")).json()
    assert [m["text"] for m in new["messages"]] == ["c"]
    problem(await client.get(f"{url(scene)}/messages?attempt=3"), Code.NOT_FOUND)


async def test_a_plan_is_a_list(client: httpx.AsyncClient, finished: None):
    assert (await client.get(f"{RUN}/plan")).json() == {
        "run_id": run_id(0),
        "steps": ["look", "mend"],
        "before_first_edit": True,
    }


async def test_tests_say_what_the_base_said(client: httpx.AsyncClient, finished: None):
    told = (await client.get(f"{RUN}/tests")).json()
    assert told["verdict"]["fixed"] == ["t.py::red"]
    assert told["tests"] == {"passed": 2, "failed": 0, "total": 2}
    assert told["baseline"] == {
        "command": "pytest",
        "executed": 2,
        "passing": 1,
        "failing": 1,
        "flaky": [],
        "failed": ["t.py::red"],
    }
    assert (await client.get(told["links"]["test"])).text == "1 passed\n"


async def test_messages_are_read_upwards_to_the_first(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, *map(str, range(25)))
    link: str | None = f"{url(scene)}/messages?limit=10"
    pages: list[list[str]] = []
    while link is not None:
        page = (await client.get(link)).json()
        pages.append([m["text"] for m in page["messages"]])
        link = page["earlier"]
    assert [len(page) for page in pages] == [10, 10, 5]
    assert [text for page in reversed(pages) for text in page] == list(map(str, range(25)))


async def test_a_page_of_huge_messages_is_no_huge_page(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, *["\x01" * 17_000] * 100)
    page = (await client.get(f"{url(scene)}/messages?limit=100")).json()
    assert 50 <= len(page["messages"]) < 100
    assert page["messages"][-1]["seq"] == 99
    first = page["messages"][0]["seq"]
    assert page["earlier"].endswith(f"before={first}")


async def test_messages_before_the_first_are_none(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, "a")
    page = (await client.get(f"{url(scene)}/messages?before=0")).json()
    assert (page["messages"], page["earlier"]) == ([], None)
    page = (await client.get(f"{url(scene, 1)}/messages")).json()
    assert (page["messages"], page["earlier"]) == ([], None)


async def test_steps_come_with_their_messages(client: httpx.AsyncClient, finished: None):
    page = (await client.get(f"{RUN}/steps")).json()
    assert [step["number"] for step in page["steps"]] == [0, 1, 2]
    assert [[m["role"] for m in step["messages"]] for step in page["steps"]] == [
        ["system", "user"],
        ["assistant", "tool"],
        ["assistant", "exit"],
    ]
    assert page["steps"][1]["messages"][0]["commands"] == ["ls"]
    assert (page["last"], page["earlier"], page["later"]) == (2, None, None)


PAGES = {
    "limit=4": [0, 1, 2, 3],
    "after=3&limit=4": [4, 5, 6, 7],
    "after=7&limit=4": [8, 9],
    "before=8&limit=3": [5, 6, 7],
    "before=2&limit=3": [0, 1],
    "after=2&before=5": [3, 4],
    "before=2147483647&limit=2": [8, 9],
    "after=5&before=2": [],
    "after=9": [],
    "after=2147483647": [],
    "before=0": [],
}


async def test_pages_of_steps(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, *"abcdefghij")
    for query, numbers in PAGES.items():
        page = (await client.get(f"{url(scene)}/steps?{query}")).json()
        assert [step["number"] for step in page["steps"]] == numbers, query
        if not numbers:
            assert (page["earlier"], page["later"]) == (None, None), query
            continue
        beside = {"earlier": numbers[0] - 1, "later": numbers[-1] + 1}
        for side, number in beside.items():
            if not 0 <= number < 10:
                assert page[side] is None, query
                continue
            found = [s["number"] for s in (await client.get(page[side])).json()["steps"]]
            assert found[-1 if side == "earlier" else 0] == number, query


async def test_a_step_of_many_messages_is_cut_and_has_a_raw_link(
    client: httpx.AsyncClient, scene: Scene, place: Place
):
    async with place.context.store.change() as db:
        for seq in range(720):
            step = 0 if seq < 10 else 1 if seq < 710 else 2
            body = json.dumps({"role": "tool", "content": str(seq)})
            db.add(
                MessageRow(
                    run_id=scene.run(0),
                    attempt=1,
                    seq=seq,
                    step=step,
                    role="tool",
                    at=float(seq),
                    body=body,
                )
            )
    first = (await client.get(f"{url(scene)}/steps")).json()
    assert [s["number"] for s in first["steps"]] == [0]
    [many] = (await client.get(first["later"])).json()["steps"]
    assert (many["number"], many["truncated"], len(many["messages"])) == (1, True, 500)
    up = (await client.get(f"{url(scene)}/steps?before=3")).json()
    assert [s["number"] for s in up["steps"]] == [2]
    raw = (await client.get(many["raw"])).json()
    assert [m["content"] for m in raw["messages"]] == [str(n) for n in range(10, 710)]


async def test_a_raw_message_is_as_it_was_stored(client: httpx.AsyncClient, finished: None):
    answer = await client.get(f"{RUN}/messages/2/raw")
    assert answer.json() == CHAT[2]
    assert answer.headers["content-type"] == "application/json"
    is_download(answer, kept=ASK_AGAIN)
    named = await client.get(f"{RUN}/messages/2/raw?attempt=1")
    is_download(named, kept=FOR_EVER)
    assert named.headers["etag"] == answer.headers["etag"]
    problem(await client.get(f"{RUN}/messages/6/raw"), Code.NOT_YET)


async def test_a_step_that_goes_on_is_not_kept(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, "a", "b")
    old, new = f"{url(scene)}/steps/0/raw?attempt=1", f"{url(scene)}/steps/1/raw?attempt=1"
    is_download(await client.get(old), kept=FOR_EVER)
    answer = await client.get(new)
    is_download(answer, kept=ASK_AGAIN)
    assert answer.json() == {
        "step": 1,
        "messages": [{"role": "tool", "content": "b", "extra": {"raw_output": "b"}}],
    }
    known = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(new, headers=known)).status_code == 304
    await scene.change(0, edits=1)
    assert (await client.get(new, headers=known)).status_code == 200
    await client.post(f"{url(scene)}/cancel")
    is_download(await client.get(new), kept=FOR_EVER)


@pytest.mark.parametrize(
    "part", ["patch", "trajectory.json", "logs/test", "logs/baseline", "logs/setup"]
)
async def test_what_a_run_made_is_named_by_its_content(
    client: httpx.AsyncClient, finished: None, part: str
):
    plain = await client.get(f"{RUN}/{part}", headers={"Accept-Encoding": "identity"})
    is_download(plain, kept=ASK_AGAIN)
    digest = hashlib.sha256(plain.content).hexdigest()
    assert plain.headers["etag"] == f'"{digest}"'
    assert int(plain.headers["content-length"]) == len(plain.content)
    named = await client.get(f"{RUN}/{part}?v={digest}")
    is_download(named, kept=FOR_EVER)
    assert named.content == plain.content
    problem(await client.get(f"{RUN}/{part}?v={'0' * 64}"), Code.NOT_FOUND)
    problem(await client.get(f"{RUN}/{part}?v=../../x"), Code.INVALID_PARAMETER)


@pytest.mark.parametrize("tags", ['"{}"', 'W/"{}"', '"other", "{}"', "*"])
async def test_what_is_known_is_not_sent_again(
    client: httpx.AsyncClient, finished: None, tags: str
):
    digest = hashlib.sha256(DIFF.encode()).hexdigest()
    headers = {"If-None-Match": tags.format(digest)}
    answer = await client.get(f"{RUN}/patch", headers=headers)
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == f'"{digest}"'
    other = {"If-None-Match": f'"{digest[1:]}"'}
    assert (await client.get(f"{RUN}/patch", headers=other)).status_code == 200


async def test_bytes_come_as_they_are(client: httpx.AsyncClient, finished: None):
    assert (await client.get(f"{RUN}/patch")).content == DIFF.encode()
    answer = await client.get(f"{RUN}/logs/baseline")
    assert answer.content == b"\x1b[31mbase\xff\n"
    assert answer.headers["content-type"].startswith("text/plain")


async def test_a_large_log_is_streamed_and_compressed(
    client: httpx.AsyncClient, finished: None, ring: Ring
):
    log = b"a line of a log\n" * 200_000
    await keep(ring, ArtifactKind.TEST_LOG, log)
    headers = {"Accept-Encoding": "gzip"}
    async with client.stream("GET", f"{RUN}/logs/test", headers=headers) as answer:
        packed = b"".join([part async for part in answer.aiter_raw()])
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed) == log
    assert len(packed) < len(log) // 50


async def test_a_pruned_blob_is_not_found(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    lost = ArtifactRef(kind=ArtifactKind.TEST_LOG, sha256="ab" * 32, size=5)
    async with ring.store.change() as db:
        await artifacts.add(db, SOLVE, run_id(0), lost, at=0.0)
    assert (await client.get(f"{RUN}/logs/test")).status_code == 404


async def test_a_trajectory_is_there_while_the_run_goes_on(client: httpx.AsyncClient, scene: Scene):
    empty = (await client.get(f"{url(scene)}/trajectory.json")).json()
    assert (empty["messages"], empty["info"]["exit_status"]) == ([], "running")
    await scene.say(0, *(f"é{n}" for n in range(230)))
    answer = await client.get(f"{url(scene)}/trajectory.json")
    is_download(answer, kept=ASK_AGAIN)
    told = answer.json()
    assert told["trajectory_format"] == "mini-swe-agent-1.1"
    assert [m["content"] for m in told["messages"]] == [f"é{n}" for n in range(230)]
    assert told["info"]["model_stats"] == {"instance_cost": 0.0, "api_calls": 229}
    known = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(f"{url(scene)}/trajectory.json", headers=known)).status_code == 304
    await scene.say(0, "new")
    assert (await client.get(f"{url(scene)}/trajectory.json", headers=known)).status_code == 200
    problem(await client.get(f"{url(scene)}/trajectory.json?v={'0' * 64}"), Code.NOT_YET)


async def test_a_trajectory_is_of_the_present_attempt(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, "old")
    await scene.retry(0)
    await scene.say(0, "new")
    told = (await client.get(f"{url(scene)}/trajectory.json")).json()
    assert [m["content"] for m in told["messages"]] == ["new"]


async def test_numbers_that_cannot_be_are_refused(client: httpx.AsyncClient, finished: None):
    for part in (
        *("messages?before=-1", "messages?before=x", "messages?limit=0", "messages?limit=101"),
        *("messages?attempt=0", "messages?before=99999999999999999999", "messages/-1/raw"),
        *(
            "messages/x/raw",
            "messages/99999999999999999999/raw",
            "steps?after=-1",
            "steps?limit=51",
        ),
        *("steps/x/raw", "steps/-1/raw", "steps/2147483648/raw", "logs/other", "logs/%2e%2e"),
    ):
        problem(await client.get(f"{RUN}/{part}"), Code.INVALID_PARAMETER)


async def test_events_of_a_cancelled_run_reach_its_watcher(client: httpx.AsyncClient, scene: Scene):
    here = f"/api/solves/{scene.id}/updates"
    cursor: Any = (await client.get(here)).json()["cursor"]
    await client.post(f"{url(scene)}/cancel")
    told = (await client.get(here, params={"cursor": cursor})).json()
    assert [event["kind"] for event in told["events"]] == [f"run.{RunEvent.CANCELLED}"]
    assert [lane["state"] for lane in told["lanes"]] == ["cancelled"]
