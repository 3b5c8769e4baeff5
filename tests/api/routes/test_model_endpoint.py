"""The model endpoint of the server: a run's token opens it, and nothing else does."""

from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI

from tests.support.api_client import Place, app_of, client_of
from tests.support.servers.login_server import open_house
from tests.support.servers.model_endpoint import (
    HELLO,
    MODEL,
    OTHER,
    EndpointGround,
    answering,
    completion,
    open_ground,
)
from yudai.agents.endpoint.port import MAX_BODY
from yudai.api.routes.model_endpoint import router
from yudai.runs.domain.states import RunState

PATH = "/api/model/v1/chat/completions"
MODELS = "/api/model/v1/models"


class WithEndpoint:
    """The service of other tests, with a desk."""

    def __init__(self, place: Place, endpoint: Any) -> None:
        self._place = place
        self.model_endpoint = endpoint

    def __getattr__(self, name: str) -> Any:
        return getattr(self._place, name)


def make_app(service: Any) -> FastAPI:
    app = app_of(service)
    if not any(getattr(route, "path", "") == PATH for route in app.routes):
        app.include_router(router, prefix="/api")
    return app


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncGenerator[EndpointGround]:
    folder = tmp_path / "desk"
    folder.mkdir()
    async with open_ground(folder, answering(completion("hello"))) as opened:
        yield opened


@pytest.fixture
async def client(place: Place, ground: EndpointGround) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_of(make_app(WithEndpoint(place, ground.endpoint))) as opened:
        yield opened


async def key(ground: EndpointGround) -> dict[str, str]:
    return {"Authorization": f"Bearer {await ground.token()}"}


async def test_a_run_calls_its_model(client: httpx.AsyncClient, ground: EndpointGround):
    answer = await client.post(PATH, json={"messages": HELLO}, headers=await key(ground))
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "hello"
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    listed = await client.get(MODELS, headers=await key(ground))
    assert [model["id"] for model in listed.json()["data"]] == [MODEL]
    assert (await ground.run()).steps == 1


async def test_a_stream(client: httpx.AsyncClient, ground: EndpointGround):
    body = {"messages": HELLO, "stream": True}
    answer = await client.post(PATH, json=body, headers=await key(ground))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize("header", ["", "Bearer x", "Basic eDp5", "Bearer ydk_1_" + "a" * 40])
async def test_no_one_else_does(client: httpx.AsyncClient, ground: EndpointGround, header: str):
    headers = {"Authorization": header} if header else {}
    for answer in (
        await client.post(PATH, json={"messages": HELLO}, headers=headers),
        await client.get(MODELS, headers=headers),
    ):
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"
    assert (await ground.run()).steps == 0


async def test_a_token_is_worth_nothing_when_its_run_has_ended(
    client: httpx.AsyncClient, ground: EndpointGround
):
    headers = await key(ground)
    await ground.change(state=RunState.COMPLETED)
    answer = await client.post(PATH, json={"messages": HELLO}, headers=headers)
    assert answer.status_code == 401
    assert len(await ground.messages(OTHER)) == 0


async def test_a_token_of_a_run_opens_nothing_else(tmp_path: Path, ground: EndpointGround):
    async with open_house(tmp_path) as house, house.client(**await key(ground)) as client:
        assert (await client.get("/api/solves")).status_code == 401
        assert (await client.get("/api/models")).status_code == 401


async def test_without_command_agents_no_token_is_good(place: Place, ground: EndpointGround):
    async with client_of(make_app(place)) as client:
        answer = await client.post(PATH, json={"messages": HELLO}, headers=await key(ground))
        assert answer.status_code == 401
        assert "no command agents" in answer.json()["error"]["message"]
        assert (await client.get(MODELS)).status_code == 401


async def test_what_is_too_large_is_reported_as_openai_would(
    client: httpx.AsyncClient, ground: EndpointGround
):
    async def pieces() -> AsyncGenerator[bytes]:
        for _ in range(9):
            yield b" " * (1 << 20)

    headers = await key(ground) | {"Content-Type": "application/json"}
    for content in (b" " * (MAX_BODY + 1), pieces()):
        answer = await client.post(PATH, content=content, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (413, "application/json")
        assert answer.json()["error"]["code"] == "too_large"
        assert answer.headers["x-should-retry"] == "false"


async def test_by_the_name_that_sandboxes_know_nothing_else_is_answered(
    place: Place, ground: EndpointGround
):
    app = app_of(
        WithEndpoint(place, ground.endpoint), hosts=["yudai.example"], model_hosts=["M.example"]
    )
    async with client_of(app, base_url="https://m.example") as client:
        listed = await client.get(MODELS, headers=await key(ground))
        assert listed.status_code == 200
        for path in ("/api/solves", "/api/models", "/api/health/live", "/", "/api/model"):
            assert (await client.get(path)).status_code == 421
    async with client_of(app, base_url="https://yudai.example") as client:
        assert (await client.get(MODELS, headers=await key(ground))).status_code == 200
        assert (await client.get("/api/health/live")).status_code == 200


async def test_a_form_of_another_site_is_not_taken(
    client: httpx.AsyncClient, ground: EndpointGround
):
    answer = await client.post(PATH, content=b"a=b", headers=await key(ground))
    assert answer.status_code == 415


def test_it_is_not_of_our_contract():
    app = make_app(cast("Any", SimpleNamespace(settings=SimpleNamespace(auth_mode="local"))))
    assert not [path for path in app.openapi()["paths"] if "/model/v1" in path]
