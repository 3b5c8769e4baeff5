"""Compares expected JavaScript values: literals may change, all other parts must stay."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from yudai.verification.domain.expected.change import Rule, is_other_pattern, is_other_text
from yudai.verification.domain.expected.script_tokens import Token, codes_of

CONSTANTS = frozenset({"true", "false", "null", "undefined", "NaN", "Infinity"})
_VALUES = re.compile(r"Date|Map|Set|URL|\w*Error|\w+Array")
_BROAD = frozenset({"Error", "Object", "Function"})
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_OPERATORS = frozenset({"+", "-", "*", "/"})
_ENDS = frozenset({",", ")", "]", "}", ";"})
_UNQUOTED = re.compile(r"\\(.)", re.DOTALL)


class Slot(NamedTuple):
    """An expected value in an assertion."""

    tokens: tuple[Token, ...]
    rule: Rule
    form: str = ""
    """The matcher, among equally strict ones such as `toBeNull()` and `toBe(3)`."""
    about: tuple[Token, ...] = ()
    """The expression that has to have this value."""
    row: Mapping[str, tuple[Token, ...]] = MappingProxyType({})
    """The other cells of its table row."""


class Reading(NamedTuple):
    end: int
    parts: list[str]
    """The parts that are not literals, in order."""
    calls: list[str]
    """Constructors: their number may change, but no new constructor may be added."""
    is_computed: bool = False


def is_value(tokens: Sequence[Token]) -> bool:
    """Whether this is a written value, not a computed one."""
    found = read(tokens)
    return bool(tokens) and not found.is_computed and found.end == len(tokens)


def is_literal(tokens: Sequence[Token]) -> bool:
    return is_value(tokens) and not read(tokens).parts


def read(tokens: Sequence[Token], at: int = 0) -> Reading:
    """Read one value, up to the first token that cannot belong to it."""
    return _Reader(tokens).whole(at)


def is_as_strict(old: Slot, new: Slot) -> bool:
    """Whether only literals differ, and the new assertion accepts no more results."""
    if old.rule is not new.rule:
        return False
    return _NARROWER.get(old.rule, _is_value_as_strict)(old, new)


def _is_class_as_narrow(old: Slot, new: Slot) -> bool:
    one, two = old.tokens[0].text, new.tokens[0].text
    return one == two or two not in _BROAD


def _is_bound_as_strict(old: Slot, new: Slot) -> bool:
    before, after = (_number(slot) for slot in (old, new))
    if before is None or after is None:
        return False
    return after >= before if old.rule is Rule.LEAST else after <= before


def _number(slot: Slot) -> float | None:
    try:
        return float("".join(token.text for token in slot.tokens).replace("_", ""))
    except ValueError:
        return None


_NARROWER: Mapping[Rule, Callable[[Slot, Slot], bool]] = {
    Rule.TYPE: _is_class_as_narrow,
    Rule.LEAST: _is_bound_as_strict,
    Rule.MOST: _is_bound_as_strict,
}


def _is_value_as_strict(old: Slot, new: Slot) -> bool:
    before, after = read(old.tokens), read(new.tokens)
    if before.parts != after.parts:
        return False
    if not set(after.calls) <= set(before.calls):
        return False
    if old.form != new.form and not _nullary(old, new):
        return False
    if old.rule is Rule.SUBSET:
        return _layout(old.tokens) == _layout(new.tokens)
    if old.rule is Rule.EXACT:
        return True
    return _is_found_as_hard(old, new)


def text_of(tokens: Sequence[Token]) -> str | None:
    """The text of a string or a template; code in a template is equal on both sides."""
    if len(tokens) != 1 or tokens[0].kind not in {"string", "template"}:
        return None
    token = tokens[0]
    text = token.text[1:-1]
    for code in codes_of(token.text) or [] if token.kind == "template" else []:
        text = text.replace(f"${{{code}}}", "\0", 1)
    return _UNQUOTED.sub(r"\1", text)


def _nullary(old: Slot, new: Slot) -> bool:
    texts = ["".join(token.text for token in slot.tokens) for slot in (old, new)]
    is_one = any(slot.form.startswith("toBe") and slot.form != "toBe" for slot in (old, new))
    return is_one and texts[0] != texts[1]


def _is_found_as_hard(old: Slot, new: Slot) -> bool:
    if len(old.tokens) == len(new.tokens) == 1 and old.tokens[0].kind == new.tokens[0].kind:
        one, two = old.tokens[0], new.tokens[0]
        if one.kind == "regex":
            return _is_other_regex(one.text, two.text)
    before, after = text_of(old.tokens), text_of(new.tokens)
    if before is None and after is None:
        return old.rule is Rule.MEMBER and not _has_regex(old) and not _has_regex(new)
    if before is None or after is None:
        return False
    check = is_other_pattern if old.rule is Rule.PATTERN else is_other_text
    return before == after or check(before, after)


def _has_regex(slot: Slot) -> bool:
    return any(token.kind == "regex" for token in slot.tokens)


def _is_other_regex(old: str, new: str) -> bool:
    (one, _, old_flags), (two, _, new_flags) = old[1:].rpartition("/"), new[1:].rpartition("/")
    return old_flags == new_flags and (one == two or is_other_pattern(one, two))


def _layout(tokens: Sequence[Token]) -> list[str]:
    """Keys and brackets of an object: they decide what a subset comparison checks."""
    found: list[str] = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        is_key = following is not None and following.text == ":"
        is_plain = token.kind in {"number", "string", "template"} or token.text in CONSTANTS
        found.append("_" if is_plain and not is_key else token.text)
    return found


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens

    def whole(self, start: int) -> Reading:
        """One value, including arithmetic; anything else is read as computed."""
        found = self._one(start)
        while found and self._text(found.end) in _OPERATORS and not found.parts:
            more = self._one(found.end + 1)
            found = more and Reading(more.end, more.parts, [*found.calls, *more.calls])
            if found and found.parts:
                found = None
        if found and self._text(found.end) == "as":
            rest = self._rest(found.end)
            return Reading(rest.end, [*found.parts, *rest.parts], found.calls)
        if found is None or (self._text(found.end) not in _ENDS and not self._is_new_line(found)):
            return self._rest(start)
        return found

    def _one(self, at: int) -> Reading | None:
        text = self._text(at)
        if text in {"-", "+"}:
            at, text = at + 1, self._text(at + 1)
        if at >= len(self._tokens):
            return None
        token = self._tokens[at]
        if token.kind in {"number", "string", "regex"} or text in CONSTANTS:
            return Reading(at + 1, [], [])
        if token.kind == "template":
            return Reading(at + 1, codes_of(text) or [], [])
        return self._made(at)

    def _made(self, at: int) -> Reading | None:
        """A list, an object, or an instance of a class that only holds a value."""
        text = self._text(at)
        if text == "[":
            return self._list(at + 1, "]")
        if text == "{":
            return self._object(at + 1)
        if text == "new" and self._text(at + 2) == "(" and _VALUES.fullmatch(self._text(at + 1)):
            inner = self._list(at + 3, ")")
            return inner and inner._replace(calls=[self._text(at + 1), *inner.calls])
        return None

    def _list(self, at: int, closer: str) -> Reading | None:
        found = Reading(at, [], [])
        while self._text(found.end) != closer:
            found = self._more(found, self.whole(found.end))
            if self._text(found.end) == ",":
                found = found._replace(end=found.end + 1)
            elif self._text(found.end) != closer:
                return None
        return found._replace(end=found.end + 1)

    def _object(self, at: int) -> Reading | None:
        found = Reading(at, [], [])
        while self._text(found.end) != "}":
            key = self._tokens[found.end] if found.end < len(self._tokens) else None
            is_pair = self._text(found.end + 1) == ":"
            if key and is_pair and key.kind in {"word", "string", "number"}:
                found = self._more(found, self.whole(found.end + 2))
            else:
                # A shorthand, a method or a spread is computed.
                found = self._more(found, self._rest(found.end))
            if self._text(found.end) == ",":
                found = found._replace(end=found.end + 1)
            elif self._text(found.end) != "}":
                return None
        return found._replace(end=found.end + 1)

    def _rest(self, start: int) -> Reading:
        """All tokens up to the next comma or closing bracket, as one computed part."""
        at, open_ones = start, list[str]()
        while at < len(self._tokens):
            text = self._tokens[at].text
            if not open_ones and text in _ENDS:
                break
            if text in _OPENERS:
                open_ones.append(_OPENERS[text])
            elif open_ones and text == open_ones[-1]:
                open_ones.pop()
            at += 1
        part = " ".join(token.key for token in self._tokens[start:at])
        return Reading(at, [part], [], is_computed=True)

    def _more(self, found: Reading, more: Reading) -> Reading:
        return Reading(more.end, [*found.parts, *more.parts], [*found.calls, *more.calls])

    def _is_new_line(self, found: Reading) -> bool:
        """Whether a statement may end here without a semicolon."""
        return found.end >= len(self._tokens) or self._tokens[found.end].kind == "word"

    def _text(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""
