"""Splits JavaScript and TypeScript into tokens, without comments and layout."""

import re
from collections.abc import Sequence
from typing import NamedTuple

MAX_TEXT = 500_000
_MAX_REGEX = 2_000

_TOKEN = re.compile(
    r"""
      (?P<space> \s+ )
    | (?P<comment> //[^\n\r\u2028\u2029]* )
    | (?P<word> (?:[^\W\d]|\$)[\w$]* )
    | (?P<number> (?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n? )
    | (?P<string> '(?:[^'\\\n\r]|\\.)*' | "(?:[^"\\\n\r]|\\.)*" )
    | (?P<mark> \.\.\. | => | \+\+ | -- | && | \|\| | \?\? | \?\.(?!\d) | [=!]==? | [^\s\w'"`] )
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+/[a-z]*")
_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_IN_CODE = re.compile(
    r"""'(?:[^'\\\n\r]|\\.)*'|"(?:[^"\\\n\r]|\\.)*"|//[^\n\r\u2028\u2029]*|/\*|[`{}]""", re.DOTALL
)
_BEFORE_REGEX = frozenset(
    {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "do", "else"}
    | {"await", "yield"}
)
# A line that ends after one of these ends the statement.
_RESTRICTED = frozenset({"return", "throw", "yield", "break", "continue", "async", "await"})


class Token(NamedTuple):
    kind: str
    """word, number, string, template, regex or mark"""
    text: str
    start: int
    end: int
    key: str
    """The key for comparison: the text, and the line break before it where that matters."""


class UnreadableScriptError(Exception):
    """The text is not JavaScript, or cannot be read."""


def tokens_of(text: str) -> list[Token]:
    if len(text) > MAX_TEXT:
        raise UnreadableScriptError
    found: list[Token] = []
    at, lines_before = 0, False
    while at < len(text):
        kind, end = _next(text, at, found)
        piece = text[at:end]
        if kind in {"space", "comment"}:
            lines_before = lines_before or re.search(r"[\n\r\u2028\u2029]", piece) is not None
        else:
            ends = lines_before and _matters(found, piece)
            found.append(Token(kind, piece, at, end, f"\n{piece}" if ends else piece))
            lines_before = False
        at = end
    return found


def codes_of(template: str) -> list[str] | None:
    """The code in a template's `${}`, in order."""
    return _template(template, 0).codes


class _Template(NamedTuple):
    end: int
    codes: list[str]


def _next(text: str, at: int, found: Sequence[Token]) -> tuple[str, int]:
    if text.startswith("/*", at):
        return "comment", _end_of_comment(text, at)
    if text[at] == "`":
        return "template", _template(text, at).end
    if text[at] == "/" and not text.startswith("//", at) and _may_start_regex(found):
        regex = _REGEX.match(text, at, at + _MAX_REGEX)
        if regex is None:
            raise UnreadableScriptError
        return "regex", regex.end()
    match = _TOKEN.match(text, at)
    if match is None or match.lastgroup is None:
        raise UnreadableScriptError
    return match.lastgroup, match.end()


def _end_of_comment(text: str, at: int) -> int:
    end = text.find("*/", at + 2)
    if end < 0:
        raise UnreadableScriptError
    return end + 2


def _may_start_regex(found: Sequence[Token]) -> bool:
    if not found:
        return True
    last = found[-1]
    if last.kind == "mark":
        # `</` ends an element of JSX.
        return last.text not in {")", "]", "}", "<"}
    return last.text in _BEFORE_REGEX


def _matters(found: Sequence[Token], piece: str) -> bool:
    return piece in {"++", "--"} or (bool(found) and found[-1].text in _RESTRICTED)


def _template(text: str, at: int) -> _Template:
    """Read a template up to its closing backtick; the depth of nesting has no limit."""
    codes: list[str] = []
    # For each open `${`: the start of its code, and the number of open braces in it.
    open_codes: list[list[int]] = []
    in_code, at = False, at + 1
    while match := (_IN_CODE if in_code else _IN_TEMPLATE).search(text, at):
        piece, at = match[0], match.end()
        if piece == "/*":
            at = _end_of_comment(text, match.start())
        elif piece == "${":
            open_codes.append([at, 0])
            in_code = True
        elif piece == "`":
            if not in_code and not open_codes:
                return _Template(at, codes)
            in_code = not in_code
        elif piece == "{":
            open_codes[-1][1] += 1
        elif piece == "}":
            in_code = _close(text, match.start(), open_codes, codes)
    raise UnreadableScriptError


def _close(text: str, at: int, open_codes: list[list[int]], codes: list[str]) -> bool:
    """Whether the text after this brace is still code."""
    if open_codes[-1][1]:
        open_codes[-1][1] -= 1
        return True
    start, _ = open_codes.pop()
    if not open_codes:
        codes.append(text[start:at])
    return False
