"""Watching a solve over HTTP."""

import gzip
import json
from typing import Any

import httpx
import pytest

from tests.api.test_http import UNKNOWN, problem
from tests.support.api_client import Place
from tests.support.updates_client import Scene
from yudai.api.errors import Code
from yudai.views.updates import UpdatesView


@pytest.fixture
async def scene(place: Place) -> Scene:
    opened = Scene(place.context.store)
    await opened.open(lanes=2)
    await opened.say(0, "hello", "x" * 40_000)
    return opened


def path(scene: Scene) -> str:
    return f"/api/solves/{scene.id}/updates"


async def test_a_page_watches_with_the_cursor_it_was_given(client: httpx.AsyncClient, scene: Scene):
    first = await client.get(path(scene), params={"open": scene.run(0)})
    assert first.headers["content-type"] == "application/json"
    assert first.headers["cache-control"] == "no-store"
    told = first.json()
    UpdatesView.model_validate_json(first.content)
    assert [m["seq"] for m in told["messages"][scene.run(0)]] == [0, 1]
    asked = {"open": scene.run(0), "cursor": told["cursor"]}
    second = (await client.get(path(scene), params=asked)).json()
    assert (second["lanes"], second["messages"], second["reset"]) == ([], {}, False)
    await scene.say(0, "new")
    third = (await client.get(path(scene), params=asked)).json()
    assert [m["text"] for m in third["messages"][scene.run(0)]] == ["new"]


async def test_links_of_messages_and_runs_lead_somewhere(client: httpx.AsyncClient, scene: Scene):
    told = (await client.get(path(scene), params={"open": scene.run(0)})).json()
    long = told["messages"][scene.run(0)][1]
    assert long["truncated"]
    raw = await client.get(long["raw"])
    assert raw.json()["content"] == "x" * 40_000 == "x" * long["bytes"]
    for lane in told["lanes"]:
        assert (await client.get(lane["url"])).json()["id"] == lane["id"]


@pytest.mark.parametrize("cursor", ["x", "A" * 20_000, "é", "\x00", "AQ==", "%ff", "' OR 1=1"])
async def test_a_cursor_that_is_none_begins_again(
    client: httpx.AsyncClient, scene: Scene, cursor: str
):
    answer = await client.get(path(scene), params={"cursor": cursor})
    assert answer.status_code == 200
    assert answer.json()["reset"]
    assert len(answer.json()["lanes"]) == 2


async def test_bytes_that_are_no_text_begin_again(client: httpx.AsyncClient, scene: Scene):
    answer = await client.get(f"{path(scene)}?cursor=%ff%fe&open=%ff,%00")
    assert answer.json()["reset"]
    assert answer.json()["unknown"] == ["\ufffd", "\x00"]


@pytest.mark.parametrize(
    "params",
    [
        {"max_bytes": 0},
        {"max_bytes": -1},
        {"max_bytes": 1 << 30},
        {"max_bytes": "many"},
        {"open": ",".join(map(str, range(17)))},
        {"open": "x" * 5000},
        {"open": ["x"] * 17},
        {"open": [f"{number},{number + 1}" for number in range(16)]},
        {"open": ["x" * 1000, "y" * 1000]},
    ],
)
async def test_parameters_that_do_not_fit_are_refused(
    client: httpx.AsyncClient, scene: Scene, params: dict[str, Any]
):
    told = problem(await client.get(path(scene), params=params), Code.INVALID_PARAMETER)
    assert told["errors"][0]["field"].partition(".")[0] in params


@pytest.mark.parametrize("solve", [UNKNOWN, "x", "%00", "%ff", "..%2f..", "a" * 5000])
async def test_an_unknown_solve_is_not_found(client: httpx.AsyncClient, scene: Scene, solve: str):
    problem(await client.get(f"/api/solves/{solve}/updates"), Code.NOT_FOUND)


async def test_sixteen_runs_may_be_open(client: httpx.AsyncClient, scene: Scene):
    asked = ",".join(["a,,b", scene.run(1), scene.run(1), *map(str, range(11))])
    answer = await client.get(path(scene), params={"open": asked})
    assert answer.json()["unknown"] == ["a", "b", *map(str, range(11))]


async def test_runs_may_be_named_one_by_one_or_with_commas(client: httpx.AsyncClient, scene: Scene):
    await scene.say(1, "there")
    first, second = scene.run(0), scene.run(1)
    for asked in ([first, second], [f"{first},{second}"], ["", f"{first},x", second, first]):
        told = (await client.get(path(scene), params={"open": asked})).json()
        assert set(told["messages"]) == {first, second}, asked
    assert told["unknown"] == ["x"]


async def test_more_comes_at_once_and_to_an_end(client: httpx.AsyncClient, scene: Scene):
    asked: dict[str, Any] = {"open": scene.run(0), "max_bytes": 1}
    seen: list[int] = []
    told: dict[str, Any] = {}
    for _ in range(10):
        told = (await client.get(path(scene), params=asked)).json()
        seen += [m["seq"] for m in told["messages"].get(scene.run(0), [])]
        asked["cursor"] = told["cursor"]
        if not told["more"]:
            break
    assert seen == [0, 1]
    assert told["poll_ms"] == 2000


async def test_large_answers_are_compressed(client: httpx.AsyncClient, scene: Scene):
    headers = {"Accept-Encoding": "gzip"}
    async with client.stream(
        "GET", path(scene), params={"open": scene.run(0)}, headers=headers
    ) as answer:
        packed = b"".join([part async for part in answer.aiter_raw()])
    assert answer.headers["content-encoding"] == "gzip"
    assert len(packed) < 4000
    assert json.loads(gzip.decompress(packed))["lanes"]
