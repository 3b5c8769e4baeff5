"""Decides whether tests of a JavaScript or TypeScript file differ only in expected values."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from yudai.verification.domain.expected.alignment import aligned
from yudai.verification.domain.expected.change import Change, Rule
from yudai.verification.domain.expected.script_assertions import (
    Finder,
    Place,
    arguments,
    closers,
    is_trailing_comma,
)
from yudai.verification.domain.expected.script_subject import script_subject
from yudai.verification.domain.expected.script_tokens import (
    Token,
    UnreadableScriptError,
    tokens_of,
)
from yudai.verification.domain.expected.script_values import (
    Slot,
    is_as_strict,
    is_value,
    read,
    text_of,
)

_TESTS = frozenset({"it", "test", "specify"})
_GROUPS = frozenset({"describe", "suite", "context"})
_DECLARES = frozenset({"const", "let", "var"})
# Words that continue the value before them.
_GOES_ON = frozenset({"in", "instanceof", "as", "satisfies", "of"})
_SPACED = frozenset({",", ":", "new", "as"})
_FULL = 3
_LITERAL = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\b\d[\w.]*""")
# A line that only asserts. Any other added line could affect the old ones after it.
_ASSERTS = re.compile(
    r"\s*(?:await\s+)?(?:expect(?:\.soft)?|assert(?:\.\w+)*|t\.\w+)\([^\r\u2028\u2029]*\);?\s*"
)
_MAX_TOKENS = 5_000
_MAX_BOUND = 100
_MAX_VALUE = 1_000
_MAX_CHANGED = 200
_MAX_DEPTH = 50


class Restored(NamedTuple):
    """A patched file in which tests with only other expected values have base's text."""

    text: str
    changes: tuple[Change, ...]


class _Block(NamedTuple):
    """A call of `it`, `test` or `describe`, by the indexes of its first and last token."""

    start: int
    end: int
    title: str
    is_test: bool


class _File(NamedTuple):
    text: str
    tokens: Sequence[Token]
    tests: dict[str, list[_Block]]
    """Tests that contain no other tests, by their titles."""


class _Masked(NamedTuple):
    text: tuple[str, ...]
    slots: tuple[Slot, ...]


def restored(base: str, patched: str) -> Restored:
    try:
        old, new = _file(base), _file(patched)
        found = list(islice(_changed(old, new), _MAX_CHANGED))
    except (UnreadableScriptError, RecursionError, MemoryError):
        return Restored(patched, ())
    text = patched
    for twin in sorted(found, key=lambda twin: -twin.block.start):
        start, end = new.tokens[twin.block.start].start, new.tokens[twin.block.end].end
        text = text[:start] + twin.source + text[end:]
    return Restored(text, tuple(change for twin in found for change in twin.changes))


def grown_titles(base: str, patched: str) -> list[str]:
    """Tests of the file that gained lines, whether or not their expected values changed."""
    try:
        old, new = _file(base), _file(patched)
        return [title for title, one, two in _pairs(old, new) if _is_grown(old, one, new, two)]
    except (UnreadableScriptError, RecursionError, MemoryError):
        return []


def _is_grown(old: _File, one: _Block, new: _File, two: _Block) -> bool:
    return len(_lines(_source(old, one))) < len(_lines(_source(new, two)))


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


class _Twin(NamedTuple):
    block: _Block
    """The test in the patched file."""
    source: str
    """Its text in base."""
    changes: list[Change]


def _changed(old: _File, new: _File) -> Iterator[_Twin]:
    for title, one, two in _pairs(old, new):
        before, after = _tokens(old, one), _tokens(new, two)
        if max(len(before), len(after)) > _MAX_TOKENS:
            continue
        source = _source(old, one)
        changes = _changes(title, before, after)
        if not changes and (kept := _without_additions(source, _source(new, two))):
            changes = _changes(title, tokens_of(source), tokens_of(kept))
        if changes:
            yield _Twin(two, source, changes)


def _pairs(old: _File, new: _File) -> Iterator[tuple[str, _Block, _Block]]:
    """Tests with equal titles and different texts."""
    for title, blocks in old.tests.items():
        others = new.tests.get(title, [])
        if len(others) == len(blocks):
            for one, two in zip(blocks, others, strict=True):
                if _source(old, one) != _source(new, two):
                    yield title, one, two


def _without_additions(old: str, new: str) -> str:
    """The new test without its added lines; "" if an old line may be missing."""
    before, after = _lines(old), _lines(new)
    chosen = aligned(list(map(_keys, before)), list(map(_keys, after)))
    added = [] if chosen is None else [line for n, line in enumerate(after) if n not in chosen]
    if chosen is None or not added or not all(map(_ASSERTS.fullmatch, added)):
        return ""
    return "\n".join(after[n] for n in chosen)


def _keys(line: str) -> tuple[str, str, str]:
    """The whole line; without literals after the first; without any literal."""
    plain = " ".join(line.split())
    first, *rest = _LITERAL.split(plain)
    head = _LITERAL.search(plain)
    return (plain, f"{first}{head and head[0]}{'_'.join(rest)}", _LITERAL.sub("_", plain))


def _changes(title: str, old: Sequence[Token], new: Sequence[Token]) -> list[Change]:
    before, after = _masked(old), _masked(new)
    if before.text != after.text or len(before.slots) != len(after.slots):
        return []
    pairs = list(zip(before.slots, after.slots, strict=True))
    if not all(is_as_strict(*pair) for pair in pairs):
        return []
    values = _values(old)
    found = [_change(title, *pair, values) for pair in pairs]
    return [change for change in found if change.before != change.now]


def _change(title: str, old: Slot, new: Slot, values: Mapping[str, tuple[Token, ...]]) -> Change:
    about = script_subject(old.about, {**values, **old.row})
    return Change(title, _written(old.tokens), _written(new.tokens), about)


def _values(tokens: Sequence[Token]) -> dict[str, tuple[Token, ...]]:
    """The tokens that names are bound to, except columns of a table."""
    found = ((name, places) for name, places in islice(_bound(tokens), _MAX_BOUND))
    return {n: places[0].slot.tokens for n, places in found if len(places) == 1 and places[0].slot}


def _written(tokens: Sequence[Token]) -> str:
    """A short source text that does not depend on the layout."""
    kept = [token for at, token in enumerate(tokens) if not is_trailing_comma(tokens, at)]
    return "".join(f"{t.text} " if t.text in _SPACED else t.text for t in kept).strip()


def _masked(tokens: Sequence[Token]) -> _Masked:
    """The tokens with marks for the expected values, and these values."""
    bound = dict(islice(_bound(tokens), _MAX_BOUND))
    counter = Finder(tokens, bound.keys())
    counter.places()
    all_uses = Counter(token.text for token in tokens)
    templates = "".join(token.text for token in tokens if token.kind == "template")
    names = {
        name
        for name in bound
        if 0 < counter.uses[name] == all_uses[name] - 1 and name not in templates
    }
    values = [_about(place, counter.abouts[name]) for name in names for place in bound[name]]
    by_start = {place.start: place for place in (*Finder(tokens, names).places(), *values)}
    text: list[str] = []
    slots: list[Slot] = []
    at = 0
    while at < len(tokens):
        if place := by_start.get(at):
            text.append(place.mark)
            slots += [place.slot] if place.slot else []
            at = place.end
            continue
        if not is_trailing_comma(tokens, at):
            text.append(tokens[at].key)
        at += 1
    return _Masked(tuple(text), tuple(slots))


def _about(place: Place, about: tuple[Token, ...]) -> Place:
    return place._replace(slot=place.slot and place.slot._replace(about=about))


def _bound(tokens: Sequence[Token]) -> Iterator[tuple[str, list[Place]]]:
    """Names that are bound to a value, with the places of these values."""
    for at, token in enumerate(tokens):
        if token.text in _DECLARES and at + _FULL < len(tokens) and tokens[at + 2].text == "=":
            start = at + _FULL
            end = start + read(tokens[start : start + _MAX_VALUE]).end
            following = tokens[end] if end < min(len(tokens), start + _MAX_VALUE) else None
            ends = following and (following.text == ";" or following.kind == "word")
            if ends and following and following.text not in _GOES_ON:
                yield from _place(tokens, tokens[at + 1].text, [(start, end)])
    yield from _columns(tokens)


def _place(
    tokens: Sequence[Token], name: str, where: list[tuple[int, int]]
) -> Iterator[tuple[str, list[Place]]]:
    found = [(start, end, tuple(tokens[start:end])) for start, end in where]
    if found and all(is_value(value) for *_, value in found):
        places = [Place(a, b, Slot(value, Rule.EXACT), "<exact>") for a, b, value in found]
        yield name, places


def _columns(tokens: Sequence[Token]) -> Iterator[tuple[str, list[Place]]]:
    """The columns of `test.each([[1, 2], [3, 4]])("title", (given, expected) => ...)`."""
    if [token.text for token in tokens[1:5]] != [".", "each", "(", "["]:
        return
    pairs = closers(tokens)
    call = pairs.get(3, len(tokens)) + 1
    given = arguments(tokens, call, pairs)
    if len(given) < 2:
        return
    start = given[1][0] + (tokens[given[1][0]].text == "async")
    names = [tokens[a].text for a, b in arguments(tokens, start, pairs) if b == a + 1]
    rows = [arguments(tokens, a, pairs) for a, _ in arguments(tokens, 4, pairs)]
    if all(len(row) == len(names) for row in rows):
        cells = [
            {name: tuple(tokens[slice(*cell)]) for name, cell in zip(names, row, strict=True)}
            for row in rows
        ]
        for at, name in enumerate(names):
            for _, places in _place(tokens, name, [row[at] for row in rows]):
                placed = zip(places, cells, strict=True)
                yield name, [_in_row(place, row) for place, row in placed]


def _in_row(place: Place, row: Mapping[str, tuple[Token, ...]]) -> Place:
    return place._replace(slot=place.slot and place.slot._replace(row=row))


def _file(text: str) -> _File:
    tokens = tokens_of(text)
    pairs = closers(tokens)
    blocks = [block for at in range(len(tokens)) for block in _block(tokens, at, pairs)]
    tests: dict[str, list[_Block]] = {}
    for block, titles, is_leaf in _nested(blocks):
        if block.is_test and is_leaf:
            tests.setdefault(" > ".join(titles), []).append(block)
    return _File(text, tokens, tests)


def test_ranges(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The indexes of the first and last token of each test."""
    pairs = closers(tokens)
    blocks = [block for at in range(len(tokens)) for block in _block(tokens, at, pairs)]
    return [(b.start, b.end) for b, _, is_leaf in _nested(blocks) if b.is_test and is_leaf]


def _block(tokens: Sequence[Token], at: int, pairs: dict[int, int]) -> Iterator[_Block]:
    name = tokens[at].text
    is_test = name in _TESTS
    if not is_test and name not in _GROUPS:
        return
    is_member = at > 0 and tokens[at - 1].text == "."
    if is_member and not (name == "test" and at > 1 and tokens[at - 2].text in {"t", "tap"}):
        return
    opener = at + 1
    while opener < len(tokens) and tokens[opener].text == ".":
        opener += 2
    # `test.each(rows)("title", ...)`
    if opener in pairs and tokens[opener - 1].text == "each":
        opener = pairs[opener] + 1
    given = arguments(tokens, opener, pairs) if opener < len(tokens) else []
    is_called = bool(given) and tokens[opener].text == "("
    title = text_of(tokens[slice(*given[0])]) if is_called else None
    if title is not None:
        yield _Block(at, pairs[opener], title, is_test)


def _nested(blocks: list[_Block]) -> Iterator[tuple[_Block, list[str], bool]]:
    """Each block with the titles of its groups and its own, and whether it contains no block."""
    around: list[_Block] = []
    for at, block in enumerate(blocks):
        while around and around[-1].end < block.start:
            around.pop()
        if len(around) > _MAX_DEPTH:
            raise UnreadableScriptError
        inner = [b for b in blocks[at + 1 : at + 2] if b.start < block.end]
        yield block, [*(b.title for b in around), block.title], not inner
        around.append(block)


def _source(file: _File, block: _Block) -> str:
    return file.text[file.tokens[block.start].start : file.tokens[block.end].end]


def _tokens(file: _File, block: _Block) -> Sequence[Token]:
    return file.tokens[block.start : block.end + 1]
