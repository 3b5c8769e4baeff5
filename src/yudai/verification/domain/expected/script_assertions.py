"""Finds the assertions of a JavaScript test and their expected values."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from yudai.verification.domain.expected.change import Rule
from yudai.verification.domain.expected.script_tokens import Token
from yudai.verification.domain.expected.script_values import (
    CONSTANTS,
    Slot,
    is_literal,
    is_value,
)

Tokens = Sequence[Token]

_OPENERS = {"(": ")", "[": "]", "{": "}"}

# Matchers of `expect(x)`: which argument is the expected value, and how it is compared.
_MATCHERS: Mapping[str, tuple[int, Rule]] = {
    **dict.fromkeys(
        (
            *("toBe", "toEqual", "toStrictEqual", "toHaveLength", "toBeCloseTo", "toHaveSize"),
            *("toContainEqual", "toHaveBeenCalledTimes", "toHaveReturnedWith", "toHaveValue"),
            *("toHaveReturnedTimes", "toHaveLastReturnedWith", "callCount", "closeTo"),
            *("equal", "equals", "eq", "eql", "eqls", "lengthOf", "length"),
        ),
        (0, Rule.EXACT),
    ),
    **dict.fromkeys(("toHaveProperty", "toHaveAttribute", "property"), (1, Rule.EXACT)),
    **dict.fromkeys(
        ("toMatchInlineSnapshot", "toThrowErrorMatchingInlineSnapshot"), (-1, Rule.EXACT)
    ),
    **dict.fromkeys(("toContain", "include", "includes", "contain", "contains"), (0, Rule.MEMBER)),
    **dict.fromkeys(("toThrow", "toThrowError", "throw", "throws"), (-1, Rule.PATTERN)),
    **dict.fromkeys(("toMatch", "match", "toHaveTextContent"), (0, Rule.PATTERN)),
    **dict.fromkeys(("string", "startWith", "endWith"), (0, Rule.TEXT)),
    **dict.fromkeys(("toBeInstanceOf", "instanceOf", "instanceof"), (0, Rule.TYPE)),
    **dict.fromkeys(("toBeGreaterThan", "toBeGreaterThanOrEqual"), (0, Rule.LEAST)),
    **dict.fromkeys(("toBeLessThan", "toBeLessThanOrEqual"), (0, Rule.MOST)),
    "toMatchObject": (0, Rule.SUBSET),
}
# All arguments from this position are expected values.
_CALLED = {
    **dict.fromkeys(("toHaveBeenCalledWith", "toBeCalledWith", "calledWith", "calledOnceWith"), 0),
    **dict.fromkeys(("toHaveBeenLastCalledWith", "lastCalledWith", "toHaveBeenCalledOnceWith"), 0),
    **dict.fromkeys(("toHaveBeenNthCalledWith", "nthCalledWith"), 1),
}
_NULLARY = {"toBeNull": "null", "toBeUndefined": "undefined"}
# These matchers are as strict as their opposite.
_TRUTHS = {"toBeTruthy": "true", "toBeFalsy": "false"}
_CLASS = re.compile(r"[A-Z]\w*")
_EQUAL = frozenset({"toBe", "toEqual", "toStrictEqual"})
_PROPERTIES = frozenset({"true", "false", "null", "undefined"})
_WEAK_WORDS = frozenset({"not", "any", "oneOf", "some"})

# Functions of assertion modules that take the computed and the expected value.
_ASSERTS: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            *("equal", "strictEqual", "deepEqual", "deepStrictEqual", "is", "same", "strictSame"),
            *("equals", "assertEquals", "assertStrictEquals", "lengthOf", "inlineSnapshot"),
        ),
        Rule.EXACT,
    ),
    **dict.fromkeys(("match", "matches", "throws", "rejects"), Rule.PATTERN),
    **dict.fromkeys(("include", "includes"), Rule.MEMBER),
    **dict.fromkeys(("ok", "assert", "isTrue"), Rule.CHOICE),
}
_OBJECTS = frozenset({"assert", "t", "tap", "strict", "chai"})
_BARE = frozenset({"strictEqual", "deepEqual", "deepStrictEqual", "equal", "throws", "rejects"}) | {
    *("assertEquals", "assertStrictEquals", "assert", "ok")
}
_LOGIC = frozenset({"&&", "||", "??", "?", "!", "=>", "=", "==", "!==", "!=", ","})


class Place(NamedTuple):
    """The token range of an expected value, and the mark that replaces it."""

    start: int
    end: int
    slot: Slot | None
    mark: str


class Finder:
    """Finds assertions in tokens, and counts uses of names as expected values."""

    def __init__(self, tokens: Tokens, names: Collection[str] = ()) -> None:
        self.tokens = tokens
        self.uses: Counter[str] = Counter()
        self.abouts: dict[str, tuple[Token, ...]] = {}
        """By name: the tokens of the expression that has to have its value."""
        self._about: tuple[Token, ...] = ()
        self._names = names
        self._closers = closers(tokens)

    def places(self) -> list[Place]:
        found: list[Place] = []
        for at, token in enumerate(self.tokens):
            if token.kind == "word" and at + 1 < len(self.tokens):
                found += self._of_word(at)
        return found

    def arguments(self, opener: int) -> list[tuple[int, int]]:
        """The token ranges between the commas in these brackets; empty if they never close."""
        return arguments(self.tokens, opener, self._closers)

    def _of_word(self, at: int) -> Iterator[Place]:
        name = self.tokens[at].text
        is_member = at > 0 and self.tokens[at - 1].text in {".", "?."}
        if name == "expect" and not is_member:
            yield from self._expect(at + 1)
        elif name == "expect" and self.tokens[at + 1].text == "(":
            # supertest: `request(app).get("/").expect(404)`
            self._about = ()
            for argument in self.arguments(at + 1):
                yield from self._value(argument, Rule.EXACT)
        elif name == "should" and is_member:
            self._about = ()
            yield from self._chain(at + 1)
        elif name in _ASSERTS and self.tokens[at + 1].text == "(":
            owner = self.tokens[at - 2].text if is_member and at > 1 else ""
            if owner in _OBJECTS or (not is_member and name in _BARE):
                yield from self._assert(at + 1, _ASSERTS[name])

    def _expect(self, at: int) -> Iterator[Place]:
        if self._text(at) == "." and self._text(at + 1) in {"soft", "poll"}:
            at += 2
        subject = self.arguments(at) if self._text(at) == "(" else []
        if subject and self._is_computed(*subject[0]):
            self._about = tuple(self.tokens[slice(*subject[0])])
            yield from self._chain(self._closers[at] + 1)

    def _chain(self, at: int) -> Iterator[Place]:
        """`.resolves.toBe(3)`, `.to.deep.equal(3)`, `.to.be.true`."""
        words: set[str] = set()
        while self._text(at) in {".", "?."}:
            name = self._text(at + 1)
            words.add(name)
            is_call = self._text(at + 2) == "("
            if is_call and at + 2 not in self._closers:
                return
            end = self._closers[at + 2] + 1 if is_call else at + 2
            if _WEAK_WORDS.isdisjoint(words):
                yield from self._matcher(at + 1, name, end, is_call=is_call)
            at = end

    def _matcher(self, at: int, name: str, end: int, *, is_call: bool) -> Iterator[Place]:
        given = self.arguments(at + 1) if is_call else []
        if not is_call:
            if name in _PROPERTIES and self._text(end) not in {".", "?."}:
                yield self._marked(at, end, Rule.EXACT)
        elif name in _NULLARY and not given:
            value = Token("word", _NULLARY[name], 0, 0, _NULLARY[name])
            slot = Slot((value,), Rule.EXACT, name, self._about)
            yield Place(at, end, slot, "<equal>")
        elif name in _TRUTHS and not given:
            value = Token("word", _TRUTHS[name], 0, 0, _TRUTHS[name])
            slot = Slot((value,), Rule.EXACT, "truth", self._about)
            yield Place(at, end, slot, "<truth>")
        elif name in _EQUAL and len(given) == 1:
            yield from self._equal(at, name, end, given[0])
        else:
            first, last, rule = _expected_arguments(name)
            for argument in given[first:last]:
                yield from self._value(argument, rule)

    def _equal(self, at: int, name: str, end: int, given: tuple[int, int]) -> Iterator[Place]:
        for place in self._value(given, Rule.EXACT):
            if place.slot:
                yield Place(at, end, place.slot._replace(form=name), "<equal>")

    def _assert(self, opener: int, rule: Rule) -> Iterator[Place]:
        given = self.arguments(opener)
        if rule is Rule.CHOICE:
            yield from self._comparison(*given[0]) if given else ()
        if rule is Rule.CHOICE or len(given) < 2:
            return
        one, two, *rest = given
        sides = [(one, two), (two, one)] if rule is Rule.EXACT else [(two, one)]
        for value, other in sides:
            if self._is_value(value) and self._is_computed(*other):
                self._about = tuple(self.tokens[slice(*other)])
                yield from self._value(value, rule)
                # The failure message.
                if len(rest) == 1 and is_literal(self.tokens[slice(*rest[0])]):
                    yield Place(*rest[0], None, "<message>")
                return

    def _comparison(self, start: int, end: int) -> Iterator[Place]:
        """`assert(x === 3)`."""
        at, found = start, list[int]()
        while at < end:
            text = self._text(at)
            if text in _LOGIC:
                return
            found += [at] if text == "===" else []
            at = self._closers.get(at, at) + 1
        if len(found) == 1:
            one, two = (start, found[0]), (found[0] + 1, end)
            for value, other in ((two, one), (one, two)):
                if self._is_value(value) and self._is_computed(*other):
                    self._about = tuple(self.tokens[slice(*other)])
                    yield from self._value(value, Rule.EXACT)
                    return

    def _value(self, where: tuple[int, int], rule: Rule) -> Iterator[Place]:
        tokens = self.tokens[slice(*where)]
        if len(tokens) == 1 and tokens[0].text in self._names:
            self.uses[tokens[0].text] += rule is Rule.EXACT
            self.abouts[tokens[0].text] = self._about
        elif _is_class(tokens) and rule in {Rule.TYPE, Rule.PATTERN}:
            yield self._marked(*where, Rule.TYPE)
        elif is_value(tokens) and rule is not Rule.TYPE:
            yield self._marked(*where, _rule(rule, tokens[0]))

    def _marked(self, start: int, end: int, rule: Rule) -> Place:
        slot = Slot(tuple(self.tokens[start:end]), rule, about=self._about)
        return Place(start, end, slot, f"<{rule}>")

    def _is_value(self, where: tuple[int, int]) -> bool:
        tokens = self.tokens[slice(*where)]
        is_known = len(tokens) == 1 and (tokens[0].text in self._names or _is_class(tokens))
        return is_value(tokens) or is_known

    def _is_computed(self, start: int, end: int) -> bool:
        tokens = self.tokens[start:end]
        if is_literal(tokens) or (len(tokens) == 1 and tokens[0].text in self._names):
            return False
        return any(t.kind == "word" and t.text not in CONSTANTS for t in tokens)

    def _text(self, at: int) -> str:
        return self.tokens[at].text if at < len(self.tokens) else ""


def _is_class(tokens: Tokens) -> bool:
    return len(tokens) == 1 and _CLASS.fullmatch(tokens[0].text) is not None


def _expected_arguments(name: str) -> tuple[int, int | None, Rule]:
    """The slice of expected arguments, and how they are compared."""
    if name in _CALLED:
        return _CALLED[name], None, Rule.EXACT
    index, rule = _MATCHERS.get(name, (0, None))
    if rule is None:
        return 0, 0, Rule.EXACT
    return index, index + 1 or None, rule


def closers(tokens: Tokens) -> dict[int, int]:
    """By the index of each opening bracket: the index of its closing one."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _OPENERS:
            opened.append(at)
        elif opened and token.text == _OPENERS[tokens[opened[-1]].text]:
            found[opened.pop()] = at
    return found


def is_trailing_comma(tokens: Tokens, at: int) -> bool:
    """A comma before a bracket is layout, but `[,]` has an element."""
    if tokens[at].text != "," or at + 1 >= len(tokens):
        return False
    is_hole = at > 0 and tokens[at - 1].text in {",", "["}
    return tokens[at + 1].text in _OPENERS.values() and not is_hole


def arguments(tokens: Tokens, opener: int, pairs: Mapping[int, int]) -> list[tuple[int, int]]:
    if opener not in pairs:
        return []
    found: list[tuple[int, int]] = []
    start = at = opener + 1
    while at < pairs[opener]:
        if tokens[at].text == ",":
            found.append((start, at))
            start = at + 1
        at = pairs.get(at, at) + 1
    return [*found, (start, at)] if start < at else found


def _rule(rule: Rule, first: Token) -> Rule:
    """The rule for this value: a string is not a pattern, and an object compares only its keys."""
    if rule in {Rule.PATTERN, Rule.MEMBER} and first.text == "{":
        return Rule.SUBSET
    if rule is Rule.PATTERN:
        return Rule.PATTERN if first.kind == "regex" else _TEXTS.get(first.kind, Rule.EXACT)
    return rule


_TEXTS = {"string": Rule.TEXT, "template": Rule.TEXT}
