"""Literals in code, and their replacements."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

_MOST_OF_SPOT = 24
_MOST_ITEMS = 8
_LARGE = 1_000_007
_MOST_TEXT = 5_000

Item = TypeVar("Item", str, bytes)


class Spot(NamedTuple):
    start: int
    """The start, in bytes of the code as UTF-8."""
    end: int
    value: str | int | float | bool | None = None
    """The value of a single literal; None for a list or dictionary."""
    items: tuple[bytes, ...] = ()
    """The source of each element, or of each pair of key and value."""
    brackets: tuple[bytes, bytes] = (b"", b"")
    is_tuple: bool = False


def replacements(spot: Spot, *, is_python: bool) -> Iterator[bytes]:
    """Different replacements, the most informative first."""
    if spot.value is None:
        found = _of_items(spot)
    elif isinstance(spot.value, bool):
        word = str(not spot.value)
        found = iter([(word if is_python else word.lower()).encode()])
    elif isinstance(spot.value, str):
        texts = _of_text(spot.value) if len(spot.value) <= _MOST_TEXT else iter([""])
        found = (_quoted(text, is_python=is_python) for text in texts)
    else:
        found = (_number(n) for n in _of_number(spot.value))
    yield from islice(dict.fromkeys(found), _MOST_OF_SPOT)


def _quoted(text: str, *, is_python: bool) -> bytes:
    written = repr(text) if is_python else json.dumps(text)
    return written.encode("utf-8", "surrogatepass")


def _number(number: float) -> bytes:
    # The number may follow another minus sign.
    return f"({number!r})".encode() if number < 0 else repr(number).encode()


def _of_number(value: float) -> Iterator[int | float]:
    yield value + 1
    yield value * 2
    yield type(value)(0)
    yield value - 1
    yield -value
    yield value + _LARGE


def _of_text(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        yield from ("".join(some) for some in islice(_rearranged(lines), _MOST_OF_SPOT - 6))
    yield _digits(text, 1)
    yield text * 2
    yield text[1:]
    yield ""
    yield text[:-1]
    if len(text) > 1:
        yield text[1] + text[0] + text[2:]
    yield text.swapcase()


def _digits(text: str, more: int) -> str:
    """The text with every digit changed, so that numbers in it stay numbers."""
    return "".join(str((int(c) + more) % 10) if c in "0123456789" else c for c in text)


def _of_items(spot: Spot) -> Iterator[bytes]:
    items = spot.items[:_MOST_ITEMS]
    rest = spot.items[_MOST_ITEMS:]
    for some in _rearranged(items):
        yield _joined(spot, [*some, *rest])
    yield _joined(spot, [])


def _rearranged(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Other lists: neighbours swapped, the first one also at the end, each doubled or dropped."""
    kept = list(items)
    for at in range(len(kept) - 1):
        if kept[at] != kept[at + 1]:
            yield [*kept[:at], kept[at + 1], kept[at], *kept[at + 2 :]]
    if len(kept) > 1:
        yield [*kept, kept[0]]
    for at in reversed(range(len(kept))):
        yield [*kept[: at + 1], *kept[at:]]
    for at in reversed(range(len(kept))):
        yield [*kept[:at], *kept[at + 1 :]]


def _joined(spot: Spot, items: Sequence[bytes]) -> bytes:
    begin, end = spot.brackets
    parts = list(items)
    if spot.is_tuple and len(parts) == 1:
        parts.append(b"")
    return begin + b", ".join(parts).rstrip() + end
