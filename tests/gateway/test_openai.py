"""What goes to an OpenAI-compatible endpoint, and what is made of its answers."""

import subprocess
import sys
from typing import Any

import pytest
from pydantic import SecretStr

from tests.support.servers.gateway_client import CALL, KEY, asking
from tests.support.servers.openai_server import always, bash, completion, in_turn, says, tokens
from yudai.gateway.adapters.openai.endpoint import Endpoint, local, openrouter
from yudai.gateway.adapters.openai.gateway import OpenAIGateway
from yudai.gateway.domain.models import Model, Provider, Usage
from yudai.gateway.port import ToolCall
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError, RefusedError

MODEL = Model(name="m", provider=Provider.LOCAL, model_id="m")


async def test_a_call_is_sent_as_it_is_and_answered():
    async with asking(always(bash("ls", say="Looking."))) as it:
        got = await it.ask()
    sent = it.server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.body == {
        "model": "m",
        "messages": CALL.messages,
        "tools": CALL.tools,
        "temperature": 0.3,
        "max_tokens": 16_384,
    }
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert got.content == "Looking."
    assert [(call.name, call.arguments) for call in got.tool_calls] == [
        ("bash", '{"command": "ls"}')
    ]
    assert got.finish_reason == "tool_calls"
    assert got.usage == Usage(input_tokens=1000, output_tokens=100)
    assert (got.has_usage, got.has_cost, got.lost_attempts) == (True, False, 0)
    assert got.temperature_used == 0.3


async def test_the_environments_own_openai_settings_go_nowhere(monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "somebody-elses")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: somebody-elses\nAuthorization: Bearer it")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://somebody-elses.invalid")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    async with asking(always(says("hi")), key=None, headers={"X-Title": "Yudai"}) as it:
        await it.ask()
    headers = it.server.requests[0].headers
    assert "authorization" not in headers
    assert "somebody-elses" not in str(headers)
    assert "x-stainless-lang" not in headers
    assert headers["x-title"] == "Yudai"


async def test_one_connection_serves_many_calls_and_closing_twice_is_fine():
    async with asking(always(says("hi"))) as it:
        for _ in range(3):
            await it.ask()
        await it.gateway.close()
        await it.gateway.close()
        await it.ask()
    assert len(it.server.requests) == 4


CONTENTS: dict[str, tuple[Any, str]] = {
    "text": ("hello", "hello"),
    "null": (None, ""),
    "parts": ([{"type": "text", "text": "a"}, {"type": "image"}, "b", None], "ab"),
    "number": (7, ""),
    "object": ({"text": "a"}, ""),
}


@pytest.mark.parametrize("name", CONTENTS)
async def test_content_of_any_shape(name: str):
    content, text = CONTENTS[name]
    async with asking(always(completion({"content": content}))) as it:
        assert (await it.ask()).content == text


async def test_a_refusal_is_the_content():
    async with asking(always(completion({"content": None, "refusal": "I won't."}))) as it:
        assert (await it.ask()).content == "I won't."


def call(**fields: Any) -> dict[str, Any]:
    return {"type": "function", **fields}


CALLS: dict[str, tuple[Any, tuple[ToolCall, ...]]] = {
    "malformed": (
        [call(id="a", function={"name": "bash", "arguments": '{"command": "l'})],
        (ToolCall(id="a", name="bash", arguments='{"command": "l'),),
    ),
    "parallel": (
        [call(id=i, function={"name": "bash", "arguments": i}) for i in "ab"],
        tuple(ToolCall(id=i, name="bash", arguments=i) for i in "ab"),
    ),
    "null arguments": (
        [call(id="a", function={"name": "bash", "arguments": None})],
        (ToolCall(id="a", name="bash", arguments=""),),
    ),
    "object": (
        [call(id="a", function={"name": "bash", "arguments": {"command": "ls"}})],
        (ToolCall(id="a", name="bash", arguments='{"command": "ls"}'),),
    ),
    "no ids": (
        [call(id=i, function={"name": "bash", "arguments": ""}) for i in (None, "", 7)],
        tuple(ToolCall(id=f"call_0_{i}", name="bash", arguments="") for i in range(3)),
    ),
    "equal ids": (
        [call(id=i, function={"name": "x", "arguments": ""}) for i in ("a", "a", "a_1", "a")],
        tuple(ToolCall(id=i, name="x", arguments="") for i in ("a", "a_1", "a_1_2", "a_3")),
    ),
    "signed": (
        [call(id="a", function={"name": "x", "arguments": ""}, extra_content={"google": {"s": 1}})],
        (ToolCall(id="a", name="x", arguments="", extra_content={"google": {"s": 1}}),),
    ),
    "no function": ([call(id="a")], (ToolCall(id="a", name="", arguments=""),)),
    "no name": ([{"id": "a", "function": []}], (ToolCall(id="a", name="", arguments=""),)),
    "null": ([None], (ToolCall(id="call_0_0", name="", arguments=""),)),
    "no list": ({"id": "a"}, ()),
    "nothing": (None, ()),
}


@pytest.mark.parametrize("name", CALLS)
async def test_tool_calls_of_any_shape(name: str):
    told, expected = CALLS[name]
    async with asking(always(completion({"content": None, "tool_calls": told}))) as it:
        assert (await it.ask()).tool_calls == expected


async def test_the_finish_reason_is_passed_on():
    async with asking(
        in_turn(says("cut", finish_reason="length"), completion({"content": ""}, choices_extra=1))
    ) as it:
        assert (await it.ask()).finish_reason == "length"
        assert (await it.ask()).finish_reason == "stop"


USAGES: dict[str, tuple[Any, Usage]] = {
    "plain": (tokens(10, 5), Usage(input_tokens=10, output_tokens=5)),
    "cached": (tokens(10, 5, cached=8), Usage(input_tokens=10, cached_tokens=8, output_tokens=5)),
    "deepseek": (
        tokens(10, 5) | {"prompt_cache_hit_tokens": 7},
        Usage(input_tokens=10, cached_tokens=7, output_tokens=5),
    ),
    "more cached than there was": (
        tokens(10, 5, cached=99),
        Usage(input_tokens=10, cached_tokens=10, output_tokens=5),
    ),
    "negative cached": (tokens(10, 5, cached=-4), Usage(input_tokens=10, output_tokens=5)),
    "floats": (
        {"prompt_tokens": 10.0, "completion_tokens": 5.9},
        Usage(input_tokens=10, output_tokens=5),
    ),
    "absurd": (
        {"prompt_tokens": 10**400, "completion_tokens": 1e300},
        Usage(input_tokens=50_000_000, output_tokens=50_000_000),
    ),
    "a cost that nobody asked for": (
        tokens(10, 5, cost_usd=0.0),
        Usage(input_tokens=10, output_tokens=5),
    ),
}


@pytest.mark.parametrize("name", USAGES)
async def test_usage_as_it_is_reported(name: str):
    told, expected = USAGES[name]
    async with asking(always(says("hi", usage=told))) as it:
        got = await it.ask()
    assert got.usage == expected
    assert got.has_usage
    assert not got.has_cost


@pytest.mark.parametrize(
    "usage",
    [{}, {"x": 1}, [1], "many", tokens(-5, -5), tokens(0, 0)]
    + [{"prompt_tokens": value, "completion_tokens": value} for value in (None, True, "7", [])],
)
async def test_usage_that_is_missing_is_estimated_and_said_so(usage: Any):
    long = [{"role": "user", "content": "x" * 3000}]
    async with asking(always(says("y" * 300, usage=usage))) as it:
        got = await it.ask(messages=long)
    assert not got.has_usage
    assert 1000 <= got.usage.input_tokens < 2000
    assert 100 <= got.usage.output_tokens < 200


async def test_only_the_missing_part_is_estimated():
    async with asking(always(says("hi", usage={"prompt_tokens": 77}))) as it:
        got = await it.ask()
    assert got.usage.input_tokens == 77
    assert got.usage.output_tokens > 0
    assert not got.has_usage


COSTS: dict[str, tuple[dict[str, Any], int | None]] = {
    "exact": (tokens(1, 1, cost_usd=0.0003), 300),
    "rounded up": (tokens(1, 1, cost_usd=0.00000012), 1),
    "nothing": (tokens(1, 1, cost_usd=0), 0),
    "absurd": (tokens(1, 1, cost_usd=1e30), 1_000_000_000),
    "a huge whole number": (tokens(1, 1) | {"cost": 10**400}, 1_000_000_000),
    "own key": (
        tokens(1, 1, cost_usd=0.0001)
        | {"is_byok": True, "cost_details": {"upstream_inference_cost": 0.002}},
        2100,
    ),
    "not told": (tokens(1, 1), None),
    "negative": (tokens(1, 1, cost_usd=-1), None),
    "text": (tokens(1, 1) | {"cost": "0.1"}, None),
    "true": (tokens(1, 1) | {"cost": True}, None),
    "no number": (tokens(1, 1, cost_usd=float("nan")), None),
}


@pytest.mark.parametrize("name", COSTS)
async def test_openrouter_names_the_cost(name: str):
    usage, micros = COSTS[name]
    async with asking(always(says("hi", usage=usage)), reports_cost=True) as it:
        got = await it.ask()
    assert it.server.bodies[0]["usage"] == {"include": True}
    assert got.has_cost == (micros is not None)
    assert got.usage.cost_micros == (micros or 0)


REASONINGS: dict[str, tuple[dict[str, Any], str]] = {
    "deepseek": ({"reasoning_content": "hm"}, "hm"),
    "vllm": ({"reasoning": "hm"}, "hm"),
    "openrouter": (
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        "hm",
    ),
    "details only": (
        {"reasoning_details": [{"summary": "a"}, {"data": "zz"}, {"text": "b"}, None]},
        "a\nb",
    ),
    "null": ({"reasoning_content": None, "reasoning": None, "reasoning_details": None}, ""),
    "odd": ({"reasoning_content": 7, "reasoning": {}, "reasoning_details": "x"}, ""),
}


@pytest.mark.parametrize("name", REASONINGS)
async def test_reasoning_is_kept(name: str):
    fields, text = REASONINGS[name]
    async with asking(always(completion({"content": "hi", **fields}))) as it:
        assert (await it.ask()).reasoning == text


async def test_text_that_cannot_be_sent_is_made_sendable():
    async with asking(always(says("hi"))) as it:
        await it.ask(messages=[{"role": "user", "content": "a\ud800b"}])
    assert it.server.bodies[0]["messages"][0]["content"] == "a\ufffdb"


def test_without_its_key_openrouter_is_refused_and_a_server_of_ones_own_is_not():
    with pytest.raises(RefusedError, match="set OPENROUTER_API_KEY"):
        OpenAIGateway(openrouter(None)).check(MODEL)
    with pytest.raises(RefusedError, match="set OPENROUTER_API_KEY"):
        OpenAIGateway(openrouter(SecretStr(" \n"))).check(MODEL)
    OpenAIGateway(openrouter(SecretStr(KEY))).check(MODEL)
    OpenAIGateway(local("http://localhost:8000/v1", None)).check(MODEL)


async def test_no_address_at_all_is_refused_with_the_setting_that_gives_one():
    gateway = OpenAIGateway(Endpoint(base_url=""))
    with pytest.raises(RefusedError, match="set OPENAI_BASE_URL"):
        gateway.check(MODEL)


@pytest.mark.parametrize(
    "url",
    [
        *("localhost:8000/v1", "ftp://a/v1", "http://", "http:///v1", "http://a:b/v1"),
        *("http://a b/v1", "http://a\x00b/v1", "http://[::1/v1", "http://ä/v1", "http://a..b/v1"),
        *("http://me:secret@/v1", "http://a:99999/v1", "http://a:0/v1", "http://a/\n"),
    ],
)
async def test_an_address_that_is_none_is_refused(url: str):
    gateway = OpenAIGateway(Endpoint(base_url=url))
    with pytest.raises(RefusedError, match="not the address of a model endpoint") as caught:
        gateway.check(MODEL)
    assert "secret" not in str(caught.value)
    with pytest.raises(RefusedError, match="not the address of a model endpoint"):
        await gateway.complete(CALL)


@pytest.mark.parametrize("key", ["sk-se\ncret-1", "sk-se\x00cret-1", "sk-se cret-1", "sk-sécret-1"])
async def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key: str):
    gateway = OpenAIGateway(local("http://localhost:1/v1", SecretStr(key)))
    with pytest.raises(RefusedError, match="the key in OPENAI_API_KEY") as caught:
        await gateway.complete(CALL)
    assert "cret" not in str(caught.value)


async def test_a_key_with_a_line_end_after_it_is_taken():
    async with asking(always(says("hi")), key=f" {KEY}\n") as it:
        await it.ask()
    assert it.server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_which_endpoints_are_believed_about_cost():
    assert openrouter(None).reports_cost
    assert local("https://openrouter.ai/api/v1", None).reports_cost
    assert not local("https://openrouter.ai.example.com/v1", None).reports_cost
    assert not local("http://localhost/v1", None).reports_cost


@pytest.mark.parametrize(
    "url",
    [
        *("http://localhost:8000/v1", "https://api.example.com", "http://[::1]:80/v1"),
        *("http://10.0.0.1/", "http://host.docker.internal:11434/v1", "http://my_host/v1"),
        "https://A.Example.COM./v1/",
    ],
)
async def test_all_addresses_that_are_refused_by_no_one_else_are_taken(url: str):
    gateway = OpenAIGateway(local(url, None))
    gateway.check(MODEL)
    await gateway._opened()
    await gateway.close()


def test_an_address_is_named_without_its_password():
    assert local("http://me:secret@localhost:8000/v1", None).name == "localhost:8000"


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "socks5://127.0.0.1:9"), ("SSL_CERT_FILE", "/nowhere/ca.pem")]
)
async def test_an_environment_that_allows_no_call_is_reported_in_one_line(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(name, value)
    gateway = OpenAIGateway(local("https://model.invalid/v1", None))
    with pytest.raises(GatewayError, match=r"no call to model\.invalid can be made: \S") as caught:
        await gateway.complete(CALL)
    assert caught.value.cause is Cause.MODEL_REFUSED
    assert "\n" not in str(caught.value)


def test_which_endpoints_are_on_this_machine():
    for url in (
        "http://localhost:1/v1",
        "http://127.0.0.1/v1",
        "http://127.8.8.8",
        "http://[::1]/",
    ):
        assert local(url, None).is_on_this_machine
    for url in ("https://localhost/v1", "http://localhost.example.com/v1", "http://10.0.0.1/v1"):
        assert not local(url, None).is_on_this_machine


def test_openai_is_imported_with_the_first_call_only():
    script = """
import sys
from yudai.gateway.adapters.openai.endpoint import local
from yudai.gateway.adapters.openai.gateway import OpenAIGateway
from yudai.gateway.domain.models import Model, Provider
gateway = OpenAIGateway(local("http://localhost:1/v1", None))
gateway.check(Model(name="m", provider=Provider.LOCAL, model_id="m"))
assert "openai" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
