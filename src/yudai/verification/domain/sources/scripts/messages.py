"""Finds messages that a script's test checks: errors, warnings, a program's help."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from yudai.verification.domain.proof import Subject
from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.places import Finding
from yudai.verification.domain.sources.script_assertions import (
    Assertion,
    arguments,
    assertions,
    names,
    texts,
)
from yudai.verification.domain.sources.script_closure import Piece, ScriptTest
from yudai.verification.domain.sources.script_definitions import pattern_names
from yudai.verification.domain.sources.script_tokens import Script, Statement
from yudai.verification.domain.sources.scripts.values import Values

_THROWS = words(
    """toThrow toThrowError throw throws rejects rejectedWith Throw
    toThrowErrorMatchingInlineSnapshot"""
)
_MESSAGES = frozenset({"stderr", "console"})
_WARNS = frozenset({"warn", "error"})
_ERROR = re.compile(r"e|ex|err|.*(error|exception|thrown|caught|rejection)", re.IGNORECASE)
_SAYS = frozenset({"message", "stack"})
_IN_TEXT = frozenset({"String", "inspect"})
_MEMBER = frozenset({".", "?."})
_FILLS = frozenset({"push", "unshift", "add"})
_HELP = frozenset({"--help", "-h"})


class _Said(NamedTuple):
    """Names in a piece of code that hold an error or its message."""

    caught: frozenset[str]
    messages: frozenset[str]


def wording(
    piece: Piece, test: ScriptTest, values: Values, functions: Mapping[str, Piece]
) -> Iterator[Finding]:
    """Findings about messages; `functions`: helpers by name."""
    script = piece.script
    known = _said(script, piece.part)
    is_chai = any("chai" in module for module in test.imports.values())
    shows_help = not _HELP.isdisjoint(texts(test.script, test.own.part))
    for assertion in assertions(script, piece.part):
        caught = [*_asked(script, assertion, values, is_chai=is_chai)]
        caught += _asked_of_rejection(script, assertion)
        asked: list[str] = []
        looks = (
            values.mention(script, assertion.subject, _MESSAGES)
            or _spies(script, assertion)
            or _is_said(script, assertion.subject, known)
            or _comes_from(script, assertion.subject, values, functions)
        )
        if looks or shows_help:
            asked += [text for part in assertion.given for text in texts(script, part)]
            if assertion.root == "assert":
                asked += texts(script, assertion.subject)
        for found, is_caught in ((asked, False), (caught, True)):
            said = tuple(t for t in found if any(map(str.isalpha, t)) and t not in _HELP)
            if said:
                yield Finding(Subject.WORDING, literals=said, is_caught=is_caught)


def _said(script: Script, part: Statement) -> _Said:
    caught: set[str] = set()
    messages: set[str] = set()
    for at in range(part.start, part.end - 1):
        if script.word(at) == "catch" and script.word(at + 1) == "(":
            inner = at + 2
            inner += script.word(inner) == "("
            if script.word(inner) == "{":
                messages.update(_SAYS & set(pattern_names(script, inner)))
            elif script.is_name(inner) and script.word(inner + 1) in {")", "=>", ","}:
                caught.add(script.word(inner))
        elif script.word(at) == "console" and _is_replaced(script, at + 2):
            messages.update(_kept_in(script, at + 4))
    return _Said(frozenset(caught), frozenset(messages))


def _is_replaced(script: Script, at: int) -> bool:
    """As in `console.warn = (text) => ...`."""
    return script.word(at) in _WARNS and script.word(at + 1) == "="


def _kept_in(script: Script, at: int) -> Iterator[str]:
    """The list that collects warnings: `said` in `(text) => said.push(text)`."""
    for inner in range(at, min(at + 30, len(script.tokens))):
        if script.word(inner) == ";":
            return
        is_filled = script.word(inner + 1) == "." and script.word(inner + 2) in _FILLS
        if script.is_name(inner) and (is_filled or script.word(inner + 1) in {"=", "+="}):
            yield script.word(inner)


def _is_said(script: Script, part: Statement, said: _Said) -> bool:
    """`error.message`, `String(error)`; a message of something else is the product's data."""
    return any(_is_said_at(script, at, said) for at in range(part.start, part.end))


def _is_said_at(script: Script, at: int, said: _Said) -> bool:
    word, before = script.word(at), script.word(at - 1)
    if word in _SAYS and before in _MEMBER:
        owner = script.word(at - 2)
        return _ERROR.fullmatch(owner) is not None or owner in said.caught
    if before in _MEMBER or not script.is_name(at):
        return False
    if word in said.messages:
        return True
    in_text = before == "${" or (before == "(" and script.word(at - 2) in _IN_TEXT)
    is_text = script.word(at + 1) in _MEMBER and script.word(at + 2) == "toString"
    return word in said.caught and (in_text or is_text)


def _comes_from(
    script: Script, part: Statement, values: Values, functions: Mapping[str, Piece]
) -> bool:
    """Whether a value or helper named here returns an error's message."""
    for name in names(script, part):
        made = list(values.made_of(name))
        helper = functions.get(name)
        made += [(helper.script, helper.part)] if helper is not None else []
        if any(_is_said(other, inner, _said(other, inner)) for other, inner in made):
            return True
    return False


def _spies(script: Script, assertion: Assertion) -> bool:
    subject = "".join(names(script, assertion.subject))
    return "CalledWith" in assertion.matcher and subject.startswith("console")


def _asked(script: Script, assertion: Assertion, values: Values, *, is_chai: bool) -> Iterator[str]:
    """The expected message of a thrown error."""
    if assertion.matcher not in _THROWS:
        return
    for part in assertion.given:
        is_text = script.string(part.start) is not None
        if assertion.root == "assert" and is_text and not is_chai:
            # Node's assert uses it as the message if nothing is thrown.
            continue
        yield from _texts_of(script, part)
        if part.end == part.start + 1 and script.is_name(part.start):
            for other, inner in values.made_of(script.word(part.start)):
                yield from _texts_of(other, inner)


def _asked_of_rejection(script: Script, assertion: Assertion) -> Iterator[str]:
    """`expect(promise).rejects.toMatchObject({ message })`, `.toHaveProperty("message", ...)`."""
    end = assertion.subject.end
    if [script.word(end + i) for i in (1, 2)] != [".", "rejects"] or assertion.matcher in _THROWS:
        return
    is_message = [script.string(part.start) for part in assertion.given[:1]] == ["message"]
    for part in assertion.given[is_message:]:
        if is_message or script.word(part.start) == "{":
            yield from _texts_of(script, part)


def _texts_of(script: Script, part: Statement) -> Iterator[str]:
    if script.word(part.start) != "{":
        yield from texts(script, part)
        return
    for given in arguments(script, part.start):
        if script.word(given.start) == "message":
            yield from texts(script, given)
