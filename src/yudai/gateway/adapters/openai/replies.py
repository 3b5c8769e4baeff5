"""An endpoint's answer as a completion, whatever shape it came in, or as a fault."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from yudai.gateway.adapters.openai.errors import Fault, error_fault, is_html, malformed
from yudai.gateway.adapters.openai.tokens import consumed
from yudai.gateway.port import Call, Completion, ToolCall
from yudai.kit.shapes import fields, items, parse
from yudai.kit.text import clean

MAX_TOOL_CALLS = 128


class Reply(NamedTuple):
    completion: Completion
    fields: frozenset[str]
    """Which fields its message had."""


def read_reply(body: bytes, call: Call, *, with_cost: bool) -> Reply | Fault:
    data = _parsed(body)
    if isinstance(data, Fault):
        return data
    choice = fields(_first(data.get("choices")))
    message = fields(choice.get("message"))
    calls = tuple(_tool_calls(message.get("tool_calls"), call.turn))
    if (fault := _error(data, choice) or _unusable(choice, calls)) is not None:
        return fault
    spent = consumed(data.get("usage"), call, message, with_cost=with_cost)
    details = _details(message.get("reasoning_details"))
    completion = Completion(
        content=_text(message.get("content")) or _text(message.get("refusal")),
        tool_calls=calls,
        finish_reason=_text(choice.get("finish_reason")) or ("tool_calls" if calls else "stop"),
        usage=spent.usage,
        has_cost=spent.has_cost,
        has_usage=spent.has_usage,
        reasoning=_reasoning(message, details),
        reasoning_details=details,
        temperature_used=call.temperature,
    )
    return Reply(completion, frozenset(key for key, value in message.items() if value is not None))


def _parsed(body: bytes) -> dict[str, Any] | Fault:
    try:
        data = parse(body)
    except ValueError:
        text = body[:1000].decode("utf-8", "replace")
        return malformed("a page of HTML" if is_html(text) else "a text that is no proper JSON")
    return cast("dict[str, Any]", data) if isinstance(data, dict) else malformed("no JSON object")


def _error(data: dict[str, Any], choice: dict[str, Any]) -> Fault | None:
    """What OpenRouter tells with a status of 200, before or after the model has begun."""
    if error := data.get("error"):
        return error_fault(error, lost=False)
    if error := choice.get("error"):
        return error_fault(error, lost=True)
    return None


def _unusable(choice: dict[str, Any], calls: tuple[ToolCall, ...]) -> Fault | None:
    if not fields(choice.get("message")):
        return malformed("no message in it" if choice else "no choice in it")
    if choice.get("finish_reason") == "error" and not calls:
        return error_fault("the model broke off", lost=True)
    if len(calls) > MAX_TOOL_CALLS:
        return malformed(f"{len(calls)} tool calls at once")
    return None


def _tool_calls(calls: object, turn: int) -> Iterator[ToolCall]:
    """Every call has an id of its own, which some servers leave out or give twice."""
    seen: set[str] = set()
    for index, call in enumerate(map(fields, items(calls))):
        function = fields(call.get("function"))
        name = _text(call.get("id"))
        while not name or name in seen:
            name = f"call_{turn}_{index}" if not name else f"{name}_{index}"
        seen.add(name)
        yield ToolCall(
            id=name,
            name=_text(function.get("name")),
            arguments=_arguments(function.get("arguments")),
            extra_content=_sendable(fields(call.get("extra_content"))),
        )


def _arguments(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    parts = (part if isinstance(part, str) else fields(part).get("text") for part in items(value))
    return "".join(part for part in parts if isinstance(part, str))


def _reasoning(message: dict[str, Any], details: tuple[dict[str, Any], ...]) -> str:
    told = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    return told or "\n".join(
        text for part in details if (text := _text(part.get("text") or part.get("summary")))
    )


def _details(value: object) -> tuple[dict[str, Any], ...]:
    return tuple(_sendable(part) for part in map(fields, items(value)) if part)


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    """Without the lone surrogates that could not be sent back."""
    return fields(parse(clean(json.dumps(value, ensure_ascii=False))))


def _first(value: object) -> object:
    return next(iter(items(value)), None)
