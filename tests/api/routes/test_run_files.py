"""The diff at a message, and the logs of set-up and of the agent."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from tests.api.routes.test_runs import RUN, is_download, url
from tests.api.test_http import problem
from tests.support.api_client import Place
from tests.support.solve_rows import Ring, passed
from tests.support.updates_client import NOW, Scene
from yudai.api.downloads import ASK_AGAIN, FOR_EVER
from yudai.api.errors import Code
from yudai.arena.prepare import PREPARED
from yudai.runs.tables import MessageRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import timeline as events


@pytest.fixture
async def scene(place: Place) -> Scene:
    opened = Scene(place.context.store)
    await opened.open(lanes=2)
    return opened


def edited(edit: int, diff: str, *, truncated: bool = False) -> dict[str, Any]:
    notes = {"edit": edit, "diff": diff, "diff_truncated": truncated}
    return {"role": "tool", "content": "", "extra": {"raw_output": "", "returncode": 0} | notes}


async def test_the_diff_is_that_of_the_newest_edit_by_then(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, "a")
    await scene.say(0, "", body=edited(1, "+one\n"))
    await scene.say(0, "b")
    await scene.say(0, "", body=edited(2, "+two\n", truncated=True))
    found = [(await client.get(f"{url(scene)}/messages/{seq}/diff")).json() for seq in range(4)]
    assert found[0] == {
        "run_id": scene.run(0),
        "attempt": 1,
        "seq": -1,
        "edit": 0,
        "patch": "",
        "truncated": False,
    }
    assert [(one["seq"], one["edit"], one["patch"], one["truncated"]) for one in found[1:]] == [
        (1, 1, "+one\n", False),
        (1, 1, "+one\n", False),
        (3, 2, "+two\n", True),
    ]
    problem(await client.get(f"{url(scene)}/messages/4/diff"), Code.NOT_YET)
    problem(await client.get(f"{url(scene, 1)}/messages/0/diff"), Code.NOT_YET)


async def test_a_diff_whose_attempt_is_named_may_be_kept(client: httpx.AsyncClient, scene: Scene):
    await scene.say(0, "", body=edited(1, "+old\n"))
    here = f"{url(scene)}/messages/0/diff"
    assert (await client.get(here)).headers["cache-control"] == "no-store"
    await scene.retry(0)
    await scene.say(0, "new")
    assert (await client.get(here)).json()["patch"] == ""
    named = await client.get(f"{here}?attempt=1")
    assert named.headers["cache-control"] == FOR_EVER
    assert (named.json()["attempt"], named.json()["patch"]) == (1, "+old\n")
    problem(await client.get(f"{here}?attempt=3"), Code.NOT_FOUND)


async def test_an_edit_whose_diff_was_not_taken_is_no_empty_diff(
    client: httpx.AsyncClient, scene: Scene
):
    body = {"role": "tool", "content": "", "extra": {"returncode": 0, "edit": 1}}
    await scene.say(0, "", body=body)
    told = (await client.get(f"{url(scene)}/messages/0/diff")).json()
    assert (told["edit"], told["patch"], told["truncated"]) == (1, "", True)


async def test_a_run_of_the_version_before_does_not_pretend(
    client: httpx.AsyncClient, scene: Scene, place: Place
):
    await scene.say(0, "", body=edited(1, "+one\n"))
    await scene.change(0, edits=1)
    async with place.context.store.change() as db:
        await db.execute(update(MessageRow).values(is_test=None, edit=None))
    told = problem(await client.get(f"{url(scene)}/messages/0/diff"), Code.NOT_YET)
    assert told["detail"] == "the changes of each step of this run were not recorded"


async def test_an_imported_run_does_not_pretend_either(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    problem(await client.get(f"{RUN}/messages/3/diff"), Code.NOT_YET)


async def test_hostile_paths_and_numbers_of_a_diff(client: httpx.AsyncClient, scene: Scene):
    for part in ("messages/-1/diff", "messages/x/diff", "messages/2147483648/diff"):
        problem(await client.get(f"{url(scene)}/{part}"), Code.INVALID_PARAMETER)
    await scene.say(0, "", body=edited(1, "+\udcff\x00</script>\n"))
    told = (await client.get(f"{url(scene)}/messages/0/diff")).json()
    assert told["patch"] == "+\ufffd\ufffd</script>\n"


async def test_what_the_agent_did_is_reported_while_it_works(
    client: httpx.AsyncClient, scene: Scene
):
    here = f"{url(scene)}/logs/agent"
    assert (await client.get(here)).text == ""
    said = {"role": "assistant", "content": "I look.", "extra": {"actions": [{"command": "ls"}]}}
    await scene.say(0, "", body=said)
    answer = await client.get(here)
    is_download(answer, kept=ASK_AGAIN)
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text.startswith("Step 0 (+0.0 s)\n  Thought:\n    I look.\n  Command:\n    ls\n")
    known = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(here, headers=known)).status_code == 304
    await scene.say(0, "é", "b")
    assert "    é\n" in (await client.get(here, headers=known)).text
    problem(await client.get(f"{here}?v={'0' * 64}"), Code.NOT_FOUND)


async def test_a_long_trajectory_is_reported_whole_and_in_order(
    client: httpx.AsyncClient, scene: Scene, place: Place
):
    """Steps go on over the pages that it is read by."""
    async with place.context.store.change() as db:
        for seq in range(330):
            body = json.dumps({"role": "tool", "content": f"n{seq}", "extra": {"returncode": 0}})
            facts: dict[str, Any] = {"step": seq // 7, "role": "tool", "at": NOW + seq}
            db.add(MessageRow(run_id=scene.run(0), attempt=1, seq=seq, body=body, **facts))
    lines = (await client.get(f"{url(scene)}/logs/agent")).text.splitlines()
    steps = [line.split()[1] for line in lines if line.startswith("Step ")]
    assert steps == [str(number) for number in range(48)]
    assert [line.strip() for line in lines if line.startswith("    n")] == [
        f"n{seq}" for seq in range(330)
    ]


async def test_bodies_that_cannot_be_read_are_reported_as_nothing(
    client: httpx.AsyncClient, scene: Scene, place: Place
):
    async with place.context.store.change() as db:
        for seq, body in enumerate(["[]", "null", '{"role": "tool", "extra": 7}']):
            facts: dict[str, Any] = {"step": 0, "role": "tool", "at": NOW}
            db.add(MessageRow(run_id=scene.run(0), attempt=1, seq=seq, body=body, **facts))
    assert (await client.get(f"{url(scene)}/logs/agent")).text.startswith("Step 0 (+0.0 s)\n")
    for seq in range(3):
        assert (await client.get(f"{url(scene)}/messages/{seq}/diff")).json()["edit"] == 0


async def setup_told(client: httpx.AsyncClient, scene: Scene) -> str:
    answer = await client.get(f"{url(scene)}/logs/setup")
    return problem(answer, Code.NOT_YET)["detail"]


async def test_why_there_is_no_set_up_log(client: httpx.AsyncClient, place: Place):
    plain, waiting = Scene(place.context.store, 1), Scene(place.context.store, 2)
    await plain.open()
    base = BaseSpec(key="b", source=Path("source.tar"), setup=("make",))
    await waiting.open(base=base)
    assert "no set-up commands" in await setup_told(client, plain)
    assert "has no setup log yet" in await setup_told(client, waiting)
    async with place.context.store.change() as db:
        await events.append(db, waiting.id, kind=PREPARED, at=NOW)
    assert "prepared earlier" in await setup_told(client, waiting)
