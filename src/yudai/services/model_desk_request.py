"""A chat-completions request of a stranger: what of it is taken, and what is refused."""

import json
from typing import NamedTuple

from yudai.domain.errors import RefusedError
from yudai.domain.plain import (
    Object,
    as_items,
    as_object,
    as_text,
    depth_exceeds,
    is_items,
    is_object,
)
from yudai.domain.text import clean

MAX_MESSAGES = 5000
MAX_TOOLS = 128
_MAX_DEPTH = 32
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_LIMITS = ("max_completion_tokens", "max_tokens")
_FIELDS = ("role", "name", "tool_call_id", "tool_calls", "reasoning_content", "reasoning_details")
_PART = ("type", "text", "cache_control")
_TEXTS = ("name", "tool_call_id", "reasoning_content")
_LISTS = ("tool_calls", "reasoning_details")


class ChatRequest(NamedTuple):
    """What of a request is passed on; the model and its temperature are the contestant's."""

    messages: list[Object]
    tools: list[Object]
    max_output_tokens: int | None = None
    is_streamed: bool = False
    with_usage: bool = False
    """A stream's last chunk says what was used."""


def read_request(body: bytes) -> ChatRequest:
    """RefusedError, in one line that names the field, for what is not taken."""
    data = _parsed(body)
    if data.get("n") not in (None, 1):
        raise RefusedError("n: only 1 is possible", field="n")
    if data.get("functions"):
        raise RefusedError("functions: give `tools` instead", field="functions")
    options = as_object(data.get("stream_options"))
    return ChatRequest(
        messages=_messages(data.get("messages")),
        tools=_tools(data.get("tools")),
        max_output_tokens=_limit(data),
        is_streamed=data.get("stream") is True,
        with_usage=options.get("include_usage") is True,
    )


def _parsed(body: bytes) -> Object:
    try:
        data: object = json.loads(body, parse_constant=_no_number)
        if b"\\ud" in body.lower():
            # Halves of characters, which could be sent to nobody.
            data = json.loads(clean(json.dumps(data, ensure_ascii=False)))
    except (ValueError, RecursionError):
        raise RefusedError("the body is no JSON") from None
    if not is_object(data) or depth_exceeds(data, _MAX_DEPTH):
        raise RefusedError("the body has to be one JSON object, not nested deeply")
    return data


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _messages(value: object) -> list[Object]:
    given = as_items(value)
    if not given or len(given) > MAX_MESSAGES:
        raise RefusedError(f"messages: give 1 to {MAX_MESSAGES}", field="messages")
    return [_message(message, f"messages.{place}") for place, message in enumerate(given)]


def _message(value: object, field: str) -> Object:
    message = as_object(value)
    if message.get("role") not in _ROLES:
        raise RefusedError(f"{field}.role: one of {', '.join(sorted(_ROLES))}", field=field)
    content = message.get("content")
    if is_items(content):
        content = [_part(part, f"{field}.content") for part in content]
    elif not isinstance(content, str | None):
        raise RefusedError(f"{field}.content: has to be text", field=field)
    for name in _TEXTS:
        if not isinstance(message.get(name), str | None):
            raise RefusedError(f"{field}.{name}: has to be text", field=field)
    for name in _LISTS:
        if not _are_objects(message.get(name)):
            raise RefusedError(f"{field}.{name}: has to be a list of objects", field=field)
    return {key: message[key] for key in _FIELDS if message.get(key)} | {"content": content}


def _are_objects(value: object) -> bool:
    return value is None or (is_items(value) and all(map(is_object, value)))


def _part(value: object, field: str) -> Object:
    """Text alone: what a picture costs cannot be told from its size."""
    part = as_object(value)
    if part.get("type") != "text" or not isinstance(part.get("text"), str):
        raise RefusedError(f"{field}: only parts of text are taken", field=field)
    return {key: part[key] for key in _PART if key in part}


def _tools(value: object) -> list[Object]:
    tools = as_items(value)
    if len(tools) > MAX_TOOLS or not all(map(is_object, tools)):
        raise RefusedError(f"tools: at most {MAX_TOOLS} objects", field="tools")
    return tools


def _limit(data: Object) -> int | None:
    for name in _LIMITS:
        given = data.get(name)
        if given is None:
            continue
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise RefusedError(f"{name}: has to be a whole number above 0", field=name)
        return given
    return None


def words_of(message: Object) -> str:
    """The text of a request's message, whether it came whole or in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(part).get("text")) for part in as_items(content))
