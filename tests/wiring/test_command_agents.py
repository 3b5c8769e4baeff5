"""From the settings to command agents."""

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from tests.support.servers.model_endpoint import (
    MODEL,
    SECRET,
    EndpointGround,
    answering,
    completion,
    open_ground,
)
from yudai.artifacts.context import Context
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.wiring.command_agents import (
    agent_names,
    endpoint_hosts,
    endpoint_url,
    make_command_agents,
    make_model_endpoint,
    open_endpoint_access,
    socket_path,
)

ASKED = "agents: {aider: {command: aider}}"


def settings_of(folder: Path, content: str | None = ASKED, **given: Any) -> Settings:
    path = folder / "agents.yml"
    if content is not None:
        path.write_text(content)
        given["COMMAND_AGENTS"] = str(path)
    return Settings.model_validate({"YUDAI_HOME": folder, **given})


async def endpoint_of(ground: EndpointGround, settings: Settings) -> Any:
    context = Context(ground.store, cast("Any", None), ground.clock)
    return make_model_endpoint(settings, context, ground.gateway)


def test_there_are_none_unless_they_are_described(tmp_path: Path):
    assert agent_names(settings_of(tmp_path, None)) == ("mini-swe-agent",)
    assert agent_names(settings_of(tmp_path)) == ("mini-swe-agent", "aider")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    settings = settings_of(tmp_path, None, COMMAND_AGENTS=str(tmp_path / "none.yml"))
    with pytest.raises(RefusedError, match=r"COMMAND_AGENTS: cannot read .*none\.yml: No such"):
        agent_names(settings)


async def test_a_model_endpoint_needs_a_secret_only_when_there_are_some(tmp_path: Path):
    async with open_ground(tmp_path, answering(completion())) as ground:
        assert await endpoint_of(ground, settings_of(tmp_path, None)) is None
        with pytest.raises(RefusedError, match="JWT_SECRET is missing"):
            await endpoint_of(ground, settings_of(tmp_path))
        settings = settings_of(tmp_path, JWT_SECRET=SECRET.get_secret_value())
        assert await endpoint_of(ground, settings) is not None


async def test_each_kind_of_sandbox_has_its_way(tmp_path: Path):
    given = {"JWT_SECRET": SECRET.get_secret_value(), "BACKEND_URL": "https://y.example/api/"}
    settings = settings_of(tmp_path, **given)
    async with open_ground(tmp_path, answering(completion())) as ground, socket_path() as place:
        endpoint = await endpoint_of(ground, settings)
        async with open_endpoint_access(endpoint, settings, "e2b", place) as access:
            assert access.base_url == "https://y.example/api/model/v1"
        async with open_endpoint_access(endpoint, settings, "process", place) as access:
            assert access.base_url.startswith("http://127.0.0.1:")
            agents = make_command_agents(settings, endpoint, access, ground.clock)
            assert list(agents) == ["aider"]
        async with open_endpoint_access(endpoint, settings, "bubblewrap", place) as access:
            assert access.base_url == "http://model.yudai.invalid/v1"
            endpoint_token = await endpoint.open(
                "0190a000-0000-7000-8000-00000000dd01", sandbox_id="box-1", seconds=9
            )
            transport = httpx.AsyncHTTPTransport(uds=str(place))
            headers = {"Authorization": f"Bearer {endpoint_token.token.get_secret_value()}"}
            async with httpx.AsyncClient(transport=transport, headers=headers) as client:
                listed = await client.get(f"{access.base_url}/models")
                assert listed.json()["data"][0]["id"] == MODEL
    assert not place.parent.exists()


@pytest.mark.parametrize(
    ("given", "url", "hosts"),
    [
        (
            {"BACKEND_URL": "https://y.example/api"},
            "https://y.example/api/model/v1",
            "y.example:443",
        ),
        ({"BACKEND_URL": "https://y.example"}, "https://y.example/api/model/v1", "y.example:443"),
        (
            {"MODEL_ENDPOINT_URL": "http://10.1.1.1:8000/api/model/v1/"},
            "http://10.1.1.1:8000/api/model/v1",
            "10.1.1.1:8000",
        ),
        ({"MODEL_ENDPOINT_URL": "http://y.test/m"}, "http://y.test/m", "y.test:80"),
    ],
)
def test_where_sandboxes_elsewhere_find_the_server(
    tmp_path: Path, given: dict[str, str], url: str, hosts: str
):
    settings = settings_of(tmp_path, **given)
    assert endpoint_url(settings) == url
    assert endpoint_hosts(settings, "e2b") == (hosts,)
    assert endpoint_hosts(settings, "bubblewrap") == ()
    assert endpoint_hosts(settings_of(tmp_path, None, **given), "prime") == ()


@pytest.mark.parametrize("given", [{}, {"MODEL_ENDPOINT_URL": "nowhere"}])
def test_without_an_address_it_is_said_what_to_set(tmp_path: Path, given: dict[str, str]):
    with pytest.raises(RefusedError, match="set BACKEND_URL or MODEL_ENDPOINT_URL"):
        endpoint_url(settings_of(tmp_path, **given))
