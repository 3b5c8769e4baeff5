"""Reads the assertions of a script's test: subject, matcher and expected arguments."""

from collections.abc import Iterator
from typing import NamedTuple

from yudai.verification.domain.sources.places import literal_pieces
from yudai.verification.domain.sources.script_tokens import Script, Statement, TokenKind

_ROOTS = frozenset({"expect", "assert", "should"})


class Assertion(NamedTuple):
    root: str
    matcher: str
    """The last word before the last brackets: `toThrow`, `equal`."""
    subject: Statement
    """The argument of `expect`, or the first one of `assert`."""
    given: tuple[Statement, ...]
    """The other arguments."""


def assertions(script: Script, part: Statement) -> Iterator[Assertion]:
    for at in range(part.start, part.end - 1):
        if script.word(at) not in _ROOTS or script.word(at - 1) in {".", "?."}:
            continue
        if (found := _assertion(script, at)) is not None:
            yield found


def arguments(script: Script, at: int) -> list[Statement]:
    """The arguments in the brackets that open here."""
    found: list[Statement] = []
    first = at + 1
    for inner in script.level(at + 1, script.partners[at]):
        if script.word(inner) == ",":
            found.append(Statement(first, inner))
            first = inner + 1
    found.append(Statement(first, script.partners[at]))
    return [part for part in found if part.start < part.end]


def texts(script: Script, part: Statement) -> Iterator[str]:
    """Strings, parts of templates, and the plain text of regular expressions."""
    for at in range(part.start, part.end):
        token = script.tokens[at]
        if token.kind in {TokenKind.STRING, TokenKind.TEMPLATE} and token.text.strip():
            yield token.text
        elif token.kind is TokenKind.REGEX:
            yield from literal_pieces(token.text)


def names(script: Script, part: Statement) -> Iterator[str]:
    return (script.word(at) for at in range(part.start, part.end) if script.is_name(at))


def _assertion(script: Script, at: int) -> Assertion | None:
    """`expect(x).not.toBe(y)`, `assert.equal(x, y)`, `assert(x)`, `expect(x).to.be.true`."""
    root = script.word(at)
    at, matcher = at + 1, ""
    brackets: list[int] = []
    while True:
        if script.word(at) == "(":
            brackets.append(at)
            at = script.partners[at] + 1
        elif script.word(at) == "." and script.is_name(at + 1):
            matcher = script.word(at + 1)
            at += 2
        else:
            break
    if not brackets:
        return None
    groups = [arguments(script, bracket) for bracket in brackets]
    first, *rest = groups[0] or [Statement(at, at)]
    given = [*rest, *(part for group in groups[1:] for part in group)]
    return Assertion(root, matcher, first, tuple(given))
