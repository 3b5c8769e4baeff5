"""Parses an endpoint's response, in any format, into a completion or a fault."""

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard, cast

from yudai.gateway.adapters.openai.errors import Fault, error_fault, is_html, malformed
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, Completion, ToolCall
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.text import clean
from yudai.kit.untyped import as_items, as_object, parse

# More than any model takes; keeps a broken reply from exceeding a cap, or a database's integer.
MOST_TOKENS = 50_000_000
MOST_COST_USD = 1000.0
# Text has about four bytes per token: fewer here, so that an estimate is rather too high.
_BYTES_PER_TOKEN = 3


class Consumed(NamedTuple):
    usage: Usage
    has_usage: bool
    has_cost: bool


def consumed(usage: object, call: Call, message: object, *, with_cost: bool) -> Consumed:
    usage = as_object(usage)
    prompt = _count(usage.get("prompt_tokens"))
    output = _count(usage.get("completion_tokens"))
    read = prompt or _estimate([call.messages, call.tools])
    cost = _cost_micros(usage) if with_cost else None
    return Consumed(
        Usage(
            input_tokens=read,
            cached_tokens=min(read, _cached(usage)),
            output_tokens=output or _estimate(message),
            cost_micros=cost or 0,
        ),
        has_usage=bool(prompt and output),
        has_cost=cost is not None,
    )


def _cached(usage: dict[str, Any]) -> int:
    details = as_object(usage.get("prompt_tokens_details"))
    # DeepSeek's own name for it.
    return _count(details.get("cached_tokens")) or _count(usage.get("prompt_cache_hit_tokens"))


def _cost_micros(usage: dict[str, Any]) -> int | None:
    cost = _dollars(usage.get("cost"))
    if cost is None:
        return None
    # With a person's own key at OpenRouter, `cost` is only the fee upon what the provider charges.
    if usage.get("is_byok") is True:
        cost += _dollars(as_object(usage.get("cost_details")).get("upstream_inference_cost")) or 0.0
    # Rounded first: 0.0003 dollars are 300 micro-dollars, not 301.
    return math.ceil(round(min(cost, MOST_COST_USD) * MICROS_PER_USD, 6))


def _dollars(value: object) -> float | None:
    if not _is_number(value) or value < 0:
        return None
    return float(min(value, MOST_COST_USD))


def _count(value: object) -> int:
    """A number of tokens; 0 if it is invalid."""
    return int(min(MOST_TOKENS, max(0, value))) if _is_number(value) else 0


def _is_number(value: object) -> TypeGuard[int | float]:
    # NaN equals nothing, and true is no number here.
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _estimate(value: object) -> int:
    size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return max(1, -(-size // _BYTES_PER_TOKEN))


MAX_TOOL_CALLS = 128


class Reply(NamedTuple):
    completion: Completion
    fields: frozenset[str]
    """The fields of its message."""


def read_reply(body: bytes, call: Call, *, with_cost: bool) -> Reply | Fault:
    data = _parsed(body)
    if isinstance(data, Fault):
        return data
    choice = as_object(_first(data.get("choices")))
    message = as_object(choice.get("message"))
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
        return malformed("a page of HTML" if is_html(text) else "text that is not valid JSON")
    return cast("dict[str, Any]", data) if isinstance(data, dict) else malformed("no JSON object")


def _error(data: dict[str, Any], choice: dict[str, Any]) -> Fault | None:
    """An error that OpenRouter sends with status 200, before or during the reply."""
    if error := data.get("error"):
        return error_fault(error, lost=False)
    if error := choice.get("error"):
        return error_fault(error, lost=True)
    return None


def _unusable(choice: dict[str, Any], calls: tuple[ToolCall, ...]) -> Fault | None:
    if not as_object(choice.get("message")):
        return malformed("no message in it" if choice else "no choice in it")
    if choice.get("finish_reason") == "error" and not calls:
        return error_fault("the model broke off", lost=True)
    if len(calls) > MAX_TOOL_CALLS:
        return malformed(f"{len(calls)} tool calls at once")
    return None


def _tool_calls(calls: object, turn: int) -> Iterator[ToolCall]:
    """Give each call a unique id, because some servers omit or repeat ids."""
    seen: set[str] = set()
    for index, call in enumerate(map(as_object, as_items(calls))):
        function = as_object(call.get("function"))
        name = _text(call.get("id"))
        while not name or name in seen:
            name = f"call_{turn}_{index}" if not name else f"{name}_{index}"
        seen.add(name)
        yield ToolCall(
            id=name,
            name=_text(function.get("name")),
            arguments=_arguments(function.get("arguments")),
            extra_content=_sendable(as_object(call.get("extra_content"))),
        )


def _arguments(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    parts = (
        part if isinstance(part, str) else as_object(part).get("text") for part in as_items(value)
    )
    return "".join(part for part in parts if isinstance(part, str))


def _reasoning(message: dict[str, Any], details: tuple[dict[str, Any], ...]) -> str:
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    return reasoning or "\n".join(
        text for part in details if (text := _text(part.get("text") or part.get("summary")))
    )


def _details(value: object) -> tuple[dict[str, Any], ...]:
    return tuple(_sendable(part) for part in map(as_object, as_items(value)) if part)


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    """Without lone surrogates, which could not be sent back."""
    return as_object(parse(clean(json.dumps(value, ensure_ascii=False))))


def _first(value: object) -> object:
    return next(iter(as_items(value)), None)
