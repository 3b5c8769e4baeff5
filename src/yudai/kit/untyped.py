"""Reads untrusted JSON: values of an unexpected type read as empty."""

import json
from typing import Any, TypeGuard

Object = dict[str, Any]

_MAX_COUNT = 1 << 53
_MAX_DEPTH = 64


def parse(text: str | bytes) -> Any:
    """Parse JSON; ValueError if it is invalid or nested too deeply."""
    try:
        data: Any = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if depth_exceeds(data, _MAX_DEPTH):
        raise ValueError("nested too deeply")
    return data


def is_object(value: object) -> TypeGuard[Object]:
    return isinstance(value, dict)


def is_items(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def as_object(value: object) -> Object:
    return value if is_object(value) else {}


def as_items(value: object) -> list[Any]:
    return value if is_items(value) else []


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """A whole number that is not negative and that any database holds; 0 for all else."""
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value < _MAX_COUNT else 0


def as_amount(value: object) -> float | None:
    """A finite number that is not negative; None for all else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # An integer may be too large for a float; a NaN is in no range.
    return float(value) if 0 <= value < _MAX_COUNT else None


def depth_exceeds(value: object, limit: int) -> bool:
    """Whether containers are nested deeper than the limit; without recursion."""
    level = [value]
    for _ in range(limit):
        level = [inner for container in level for inner in _containers(container)]
        if not level:
            return False
    return True


def _containers(value: object) -> list[object]:
    children = [*as_object(value).values(), *as_items(value)]
    return [child for child in children if isinstance(child, (dict, list))]
