"""What of a stranger's request reaches a provider, and what it costs us to refuse one."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.agents.endpoint.port import MAX_BODY
from yudai.agents.endpoint.request import MAX_VALUES, ChatRequest, read_request
from yudai.kit.errors import RefusedError

HELLO = {"role": "user", "content": "x"}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Runs it.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
        "strict": True,
    },
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
SIGNED = {"extra_content": {"google": {"thought_signature": "abc="}}}


def read(**body: Any) -> ChatRequest:
    return read_request(json.dumps({"messages": [HELLO]} | body).encode())


def test_functions_of_the_agent_are_passed_on_as_they_are_known():
    more = TOOL | {"cache_control": {"type": "ephemeral"}, "max_uses": 9}
    more["function"] = TOOL["function"] | {"run_at": "the provider"}
    assert read(tools=[TOOL, more]).tools == [TOOL, TOOL]
    bare = {"type": "function", "function": {"name": "look", "description": None}}
    assert read(tools=[bare]).tools == [{"type": "function", "function": {"name": "look"}}]


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "openrouter:web_fetch"},
        {"type": "openrouter:web_search", "parameters": {"max_results": 50}},
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "code_interpreter"},
        {"function": TOOL["function"]},
        {"type": "function", "name": "web_search"},
        {"type": "function", "function": {"name": "at most 10 output tokens"}},
        {"type": "function", "function": {"name": "a" * 65}},
        {"type": "function", "function": {"name": "a", "parameters": "all"}},
        {"type": "function", "function": {"name": "a", "strict": "yes"}},
    ],
)
def test_tools_that_a_provider_would_run_are_refused(tool: dict[str, Any]):
    with pytest.raises(RefusedError, match=r"tools\.1"):
        read(tools=[TOOL, tool])


def test_no_other_wish_goes_any_further():
    """What is not in here is not read by anybody."""
    wishes = {
        "model": "other:online",
        "plugins": [{"id": "web"}],
        "web_search_options": {},
        "provider": {"only": ["mine"]},
        "extra_body": {"plugins": []},
        "service_tier": "priority",
        "transforms": ["x"],
    }
    message = HELLO | {"annotations": [1], "prefix": True, "audio": {"id": "x"}}
    assert read(messages=[message], **wishes) == ChatRequest(messages=[HELLO], tools=[])


def test_what_a_model_said_goes_back_with_what_its_vendor_needs():
    details = [{"type": "reasoning.encrypted", "data": "abc", "index": 0, "id": None}]
    said = {"role": "assistant", "content": None, "tool_calls": [CALL | SIGNED]}
    said |= {"reasoning_details": details, "reasoning_content": "hm"}
    assert read(messages=[HELLO, said]).messages[1] == said
    more: dict[str, Any] = {
        "tool_calls": [CALL | {"index": 0, "server": "x"}],
        "content": "",
        "role": "assistant",
    }
    more["reasoning_details"] = [details[0] | {"fetch": "http://x"}]
    [kept] = read(messages=[more]).messages
    assert (kept["tool_calls"], kept["reasoning_details"]) == ([CALL], details)


@pytest.mark.parametrize(
    "changes",
    [
        {"tool_calls": [CALL | {"type": "web_search"}]},
        {"tool_calls": [{"id": "x"}]},
        {"tool_calls": [CALL | {"function": {"name": "bash", "arguments": {}}}]},
        {"tool_calls": [CALL | {"extra_content": {"google": {"fetch": ["http://x"]}}}]},
        {"reasoning_details": [{"type": "web_search", "url": "http://x"}]},
        {"reasoning_details": ["x"]},
    ],
)
def test_what_no_model_says_is_refused(changes: dict[str, Any]):
    with pytest.raises(RefusedError, match=r"messages\.0"):
        read(messages=[{"role": "assistant", "content": "x"} | changes])


def test_a_cache_lasts_no_longer_than_is_paid_for():
    part = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    [message] = read(messages=[{"role": "user", "content": [part]}]).messages
    assert message["content"][0]["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages": [{"role": "user", "content": "x"}], "seed": 1e999}',
        b'{"messages": [{"role": "user", "content": "x"}], "seed": -1e999}',
        b'{"messages": [{"role": "user", "content": "x"}], "seed": Infinity}',
        b'{"messages": [{"role": "user", "content": "a\xed\xa0\x80"}]}',
        '{"messages": [{"role": "user", "content": "x"}]}'.encode("utf-16-le"),
        '{"messages": [{"role": "user", "content": "x"}]}'.encode("utf-16"),
        '{"messages": [{"role": "user", "content": "x"}]}'.encode("utf-32"),
    ],
)
def test_what_no_one_could_be_sent_is_no_json(body: bytes):
    with pytest.raises(RefusedError, match="the body is not JSON"):
        read_request(body)


def _filled(piece: bytes) -> bytes:
    return b'{"messages":[' + piece * ((MAX_BODY - 40) // len(piece)) + b"0]}"


@pytest.mark.parametrize("piece", [b"[],", b"{},", b'"",', b"1,", b"[", b'{"a":', b'"', b'\\"'])
def test_a_body_of_nothings_is_refused_before_it_is_parsed(piece: bytes):
    """Parsed, the first of them take seconds in which nothing else of the process goes on."""
    body = _filled(piece)
    before = time.process_time()
    with pytest.raises(RefusedError):
        read_request(body)
    assert time.process_time() - before < 1


def test_much_text_is_no_heavy_body():
    text = 'if x[{"a": 1}, [2]]:\n\t"\\"\n' * 100_000
    assert text.count("[") > MAX_VALUES / 2
    assert read(messages=[HELLO, {"role": "user", "content": text}]).messages[1]["content"] == text


@given(st.text(max_size=50), st.integers(1, 40))
def test_depth_is_counted_outside_of_texts(text: str, depth: int):
    nested: Any = text
    for _ in range(depth):
        nested = [nested, {"[[[": text}]
    body = {"messages": [{"role": "user", "content": "[{" * 50 + text}], "metadata": nested}
    content = json.dumps(body).encode()
    if depth <= 30:
        assert read_request(content).messages
    elif depth > 31:
        with pytest.raises(RefusedError, match="nested deeper"):
            read_request(content)
