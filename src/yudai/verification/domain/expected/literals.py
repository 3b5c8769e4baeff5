"""Reads literals of Python, JSON and JavaScript as values that can be compared."""

import re
from collections.abc import Sequence
from typing import cast

from yudai.kit.syntax import UnreadableError, python_literal
from yudai.verification.domain.expected.script_tokens import (
    Token,
    UnreadableScriptError,
    codes_of,
    tokens_of,
)

MAX_TEXT = 10_000

Literal = tuple[str, object]
"""The kind of the value, and the value: `True` is not `1`, and a list is not a tuple."""

_WORDS: dict[str, Literal] = {
    "true": ("truth", True),
    "false": ("truth", False),
    "null": ("none", None),
    "undefined": ("undefined", None),
}
_KINDS: dict[type, str] = {
    bool: "truth",
    int: "number",
    float: "number",
    complex: "number",
    str: "text",
    type(None): "none",
}
_ESCAPE = re.compile(
    r"\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))", re.DOTALL
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


def literal_of(text: str) -> Literal | None:
    """The literal's value; None if the text is not a readable literal."""
    text = text.strip()
    if not text or len(text) > MAX_TEXT:
        return None
    try:
        return _python(python_literal(text))
    except (UnreadableError, RecursionError, MemoryError):
        return _script_literal(text)


def text_literal(text: str) -> Literal:
    return ("text", text)


def _python(value: object) -> Literal:
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value).items()
        return ("map", frozenset((_python(key), _python(inner)) for key, inner in pairs))
    if isinstance(value, set):
        return ("set", frozenset(map(_python, cast("set[object]", value))))
    if isinstance(value, list | tuple):
        items = tuple(map(_python, cast("list[object]", value)))
        return ("list" if isinstance(value, list) else "tuple", items)
    return (_KINDS.get(type(value), type(value).__name__), value)


def _script_literal(text: str) -> Literal | None:
    try:
        tokens = tokens_of(text)
        value, end = _read(tokens, 0)
    except (UnreadableScriptError, ValueError, IndexError, RecursionError, OverflowError):
        return None
    return value if end == len(tokens) else None


def _read(tokens: Sequence[Token], at: int) -> tuple[Literal, int]:
    """One value and its end; raises ValueError or IndexError if there is none."""
    token = tokens[at]
    if token.text == "-":
        (kind, value), end = _read(tokens, at + 1)
        if kind != "number" or not isinstance(value, int | float):
            raise ValueError(token.text)
        return ("number", -value), end
    if token.text == "[":
        items, end = _read_all(tokens, at + 1, "]")
        return ("list", tuple(items)), end
    if token.text == "{":
        items, end = _read_all(tokens, at + 1, "}")
        return ("map", frozenset(items)), end
    return _single(token), at + 1


def _single(token: Token) -> Literal:
    if token.text in _WORDS:
        return _WORDS[token.text]
    if token.kind == "number":
        return ("number", _number(token.text))
    if token.kind == "regex":
        return ("regex", token.text)
    if token.kind == "string" or (token.kind == "template" and not codes_of(token.text)):
        return text_literal(_ESCAPE.sub(_unescaped, token.text[1:-1]))
    raise ValueError(token.text)


def _read_all(tokens: Sequence[Token], at: int, closer: str) -> tuple[list[object], int]:
    found: list[object] = []
    while tokens[at].text != closer:
        if closer == "}":
            key = tokens[at]
            name = text_literal(key.text) if key.kind == "word" else _single(key)
            if tokens[at + 1].text != ":":
                raise ValueError(key.text)
            value, at = _read(tokens, at + 2)
            found.append((name, value))
        else:
            value, at = _read(tokens, at)
            found.append(value)
        if tokens[at].text == ",":
            at += 1
        elif tokens[at].text != closer:
            raise ValueError(tokens[at].text)
    return found, at + 1


def _number(text: str) -> int | float:
    digits = text.replace("_", "").removesuffix("n")
    try:
        return int(digits, 0)
    except ValueError:
        return float(digits)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16))
    return _CONTROLS.get(match[4], match[4])
