"""Positional arguments: how many a script's functions take, and an issue's calls pass."""

import re
from collections.abc import Iterator

from yudai.verification.domain.sources.names import Definition, SymbolKind, argument, words
from yudai.verification.domain.sources.script_assertions import arguments
from yudai.verification.domain.sources.script_definitions import (
    function_around,
    name_of_function,
)
from yudai.verification.domain.sources.script_tokens import Script, TokenKind
from yudai.verification.domain.sources.scripts.lookups import MOST_ARGUMENTS

_NO_NAMES = words("if for while switch catch with return await function async new")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_LONGEST_CALL = 500


def argument_definitions(script: Script, at: int) -> Iterator[Definition]:
    """Definitions of positional arguments. Each readable function also has `argument 0`."""
    owner, most = _function(script, at)
    if owner and owner not in _NO_NAMES:
        for number in range(most + 1):
            yield Definition(SymbolKind.PARAMETER, argument(number), owner)


def _function(script: Script, at: int) -> tuple[str, int]:
    word = script.word(at)
    if word == "(" and script.word(script.partners[at] + 1) in {"{", "=>", ":"}:
        given = arguments(script, at)
        is_rest = any(script.word(part.start) == "..." for part in given)
        return name_of_function(script, at), MOST_ARGUMENTS if is_rest else len(given)
    if word == "=>" and script.is_name(at - 1):
        before = at - 2 if script.word(at - 2) != "async" else at - 3
        is_named = script.word(before) in {"=", ":"} and script.is_name(before - 1)
        return (script.word(before - 1) if is_named else ""), 1
    if word == "arguments":
        return function_around(script, at), _highest(script, at)
    return "", 0


def _highest(script: Script, at: int) -> int:
    """Number of arguments that this reads: two for `arguments[1]`, all for `arguments` alone."""
    token = script.tokens[at + 2] if at + 2 < len(script.tokens) else None
    if script.word(at + 1) == "[" and token is not None and token.kind is TokenKind.NUMBER:
        return min(int(token.text) + 1, MOST_ARGUMENTS) if token.text.isdecimal() else 0
    return MOST_ARGUMENTS


def calls_with(issue: str, name: str, number: int) -> bool:
    """Whether an issue calls this function with at least this many arguments."""
    calls = re.finditer(rf"(?<![\w$]){re.escape(name)}\(", issue)
    return any(_given(issue, call.end()) >= number for call in calls)


def _given(text: str, at: int) -> int:
    """Between the bracket that opens before this place and the one that closes it."""
    open_ones = [")"]
    found, quote = 1, ""
    for char in text[at : at + _LONGEST_CALL]:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _CLOSERS:
            open_ones.append(_CLOSERS[char])
        elif char == open_ones[-1]:
            open_ones.pop()
            if not open_ones:
                return found
        elif char == "," and len(open_ones) == 1:
            found += 1
    return 0
