"""Compares constants and tables beside the tests of a script: only values may differ."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from yudai.verification.domain.expected.change import Change
from yudai.verification.domain.expected.script_assertions import Finder, arguments, closers
from yudai.verification.domain.expected.script_tests import test_ranges
from yudai.verification.domain.expected.script_tokens import (
    Token,
    UnreadableScriptError,
    tokens_of,
)
from yudai.verification.domain.expected.script_values import is_literal

_MAX_TOKENS = 20_000
_MAX_FOUND = 200
_DECLARES = frozenset({"const", "let", "var"})
_OPENERS = frozenset({"[", "{"})
_HEAD = 4


class _Region(NamedTuple):
    """The token range of a table or a constant."""

    head: str
    start: int
    end: int


class _Other(NamedTuple):
    region: _Region
    source: str
    changes: list[Change]


class Tables(NamedTuple):
    text: str
    """The patched file, with changed tables replaced by base's text."""
    changes: tuple[Change, ...]


def other_tables(base: str, patched: str) -> Tables:
    """Tables with other values. Their changes name no test, because the users are not known."""
    try:
        old, new = tokens_of(base), tokens_of(patched)
        found = list(_others(base, old, new)) if len(new) <= _MAX_TOKENS else []
    except (UnreadableScriptError, RecursionError, MemoryError):
        return Tables(patched, ())
    text = patched
    for other in sorted(found, key=lambda one: -one.region.start):
        start, end = new[other.region.start].start, new[other.region.end - 1].end
        text = text[:start] + other.source + text[end:]
    return Tables(text, tuple(change for other in found for change in other.changes))


def _others(text: str, old: Sequence[Token], new: Sequence[Token]) -> Iterator[_Other]:
    pairs = closers(old), closers(new)
    after: dict[str, list[_Region]] = {}
    for region in _regions(new, pairs[1]):
        after.setdefault(region.head, []).append(region)
    for region in _regions(old, pairs[0]):
        twins = after.get(region.head, [])
        if not twins:
            continue
        twin = twins.pop(0)
        one, two = (t[r.start : r.end] for t, r in ((old, region), (new, twin)))
        if changes := _changes(one, two):
            source = text[old[region.start].start : old[region.end - 1].end]
            yield _Other(twin, source, changes)


def _regions(tokens: Sequence[Token], pairs: Mapping[int, int]) -> list[_Region]:
    found: list[_Region] = []
    inside = {at for start, end in test_ranges(tokens) for at in range(start, end + 1)}
    at = 0
    while at < len(tokens) and len(found) < _MAX_FOUND:
        end = 0 if at in inside else _end(tokens, at, pairs)
        if end > at:
            head = " ".join(token.text for token in tokens[max(0, at - _HEAD) : at])
            found.append(_Region(head, at, end))
        at = max(at + 1, end)
    return found


def _end(tokens: Sequence[Token], at: int, pairs: Mapping[int, int]) -> int:
    """The end of a table or an expected constant that begins here; 0 if there is none."""
    before = tokens[at - 1].text if at else ""
    if tokens[at].text in _OPENERS and at in pairs:
        end = pairs[at] + 1
        is_used = before in {"=", "of"} or _text(tokens, end + 1) == "forEach"
        return end if is_used and end - at > 2 and is_literal(tokens[at:end]) else 0
    is_constant = before == "=" and at > 2 and tokens[at - 3].text in _DECLARES
    if not is_constant or not is_literal(tokens[at : at + 1]):
        return 0
    name = tokens[at - 2].text
    finder = Finder(tokens, {name})
    finder.places()
    uses = Counter(token.text for token in tokens)[name]
    in_templates = any(t.kind == "template" and name in t.text for t in tokens)
    ends = _text(tokens, at + 1) == ";"
    return at + 1 if ends and not in_templates and 0 < finder.uses[name] == uses - 1 else 0


def _changes(old: Sequence[Token], new: Sequence[Token]) -> list[Change]:
    """The changed cells, if each changed row keeps one; empty if anything else changed."""
    if old[0].text not in _OPENERS:
        before, now = old[0].text, new[0].text
        return [Change("", before, now)] if len(new) == 1 and before != now else []
    rows, others = _parts(old), _parts(new)
    if old[0].text != new[0].text or len(others) < len(rows):
        return []
    found: list[Change] = []
    for row, other in zip(rows, others, strict=False):
        cells, twins = _cells(row), _cells(other)
        differing = [(a, b) for a, b in zip(cells, twins, strict=False) if a != b]
        if len(cells) != len(twins) or len(differing) == len(cells):
            return []
        found += [Change("", before, now) for before, now in differing]
    return found


def _parts(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    return [tokens[start:end] for start, end in arguments(tokens, 0, closers(tokens))]


def _cells(row: Sequence[Token]) -> list[str]:
    """The cells of a row in brackets, or of `key: value`."""
    if row and row[0].text in _OPENERS:
        return ["".join(token.text for token in part) for part in _parts(row)]
    texts = [token.text for token in row]
    at = texts.index(":") if ":" in texts else len(texts)
    return ["".join(texts[:at]), "".join(texts[at + 1 :])] if at < len(texts) else ["".join(texts)]


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""
