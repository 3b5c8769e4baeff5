"""What a reply says it consumed, made safe to count with; an estimate where it says nothing."""

import json
import math
from typing import Any, NamedTuple, TypeGuard

from yudai.gateway.domain.usage import Usage
from yudai.gateway.port import Call
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.shapes import fields

# More than any model takes; keeps a broken reply from filling a purse, or a database's integer.
MOST_TOKENS = 50_000_000
MOST_COST_USD = 1000.0
# Text has about four bytes per token: fewer here, so that an estimate is rather too high.
_BYTES_PER_TOKEN = 3


class Consumed(NamedTuple):
    usage: Usage
    has_usage: bool
    has_cost: bool


def consumed(usage: object, call: Call, message: object, *, with_cost: bool) -> Consumed:
    told = fields(usage)
    prompt = _count(told.get("prompt_tokens"))
    output = _count(told.get("completion_tokens"))
    read = prompt or _estimate([call.messages, call.tools])
    cost = _cost_micros(told) if with_cost else None
    return Consumed(
        Usage(
            input_tokens=read,
            cached_tokens=min(read, _cached(told)),
            output_tokens=output or _estimate(message),
            cost_micros=cost or 0,
        ),
        has_usage=bool(prompt and output),
        has_cost=cost is not None,
    )


def _cached(told: dict[str, Any]) -> int:
    details = fields(told.get("prompt_tokens_details"))
    # DeepSeek's own name for it.
    return _count(details.get("cached_tokens")) or _count(told.get("prompt_cache_hit_tokens"))


def _cost_micros(told: dict[str, Any]) -> int | None:
    cost = _dollars(told.get("cost"))
    if cost is None:
        return None
    # With a person's own key at OpenRouter, `cost` is only the fee upon what the provider charges.
    if told.get("is_byok") is True:
        cost += _dollars(fields(told.get("cost_details")).get("upstream_inference_cost")) or 0.0
    # Rounded first: 0.0003 dollars are 300 micro-dollars, not 301.
    return math.ceil(round(min(cost, MOST_COST_USD) * MICROS_PER_USD, 6))


def _dollars(value: object) -> float | None:
    if not _is_number(value) or value < 0:
        return None
    return float(min(value, MOST_COST_USD))


def _count(value: object) -> int:
    """A number of tokens; 0 for what is none."""
    return int(min(MOST_TOKENS, max(0, value))) if _is_number(value) else 0


def _is_number(value: object) -> TypeGuard[int | float]:
    # NaN equals nothing, and true is no number here.
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _estimate(value: object) -> int:
    size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return max(1, -(-size // _BYTES_PER_TOKEN))
