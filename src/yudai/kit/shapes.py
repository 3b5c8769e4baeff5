"""Reads JSON that may have any shape: what is not as expected counts as empty."""

import json
from typing import Any, cast

MOST_NESTED = 64


def parse(text: str | bytes) -> Any:
    """ValueError for what is no JSON, or is nested deeper than it could be written again."""
    try:
        data: Any = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level: list[object] = [data]
    for _ in range(MOST_NESTED):
        level = [inner for value in level for inner in (*fields(value).values(), *items(value))]
        if not level:
            return data
    raise ValueError("nested too deeply")


def fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
