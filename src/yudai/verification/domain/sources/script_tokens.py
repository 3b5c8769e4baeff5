"""Splits JavaScript and TypeScript into tokens, brackets and statements, without a grammar."""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.sources.names import MOST_CHARACTERS, words

_MOST_TOKENS = 100_000
_MOST_DEEP = 150


class TokenKind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    TEMPLATE = "template"
    REGEX = "regex"
    PUNCT = "punct"


class Token(NamedTuple):
    kind: TokenKind
    text: str
    """The text as written; for strings, templates and regular expressions the content."""
    start: int
    end: int
    is_first: bool
    """Whether it is the first token of its line."""


class Statement(NamedTuple):
    """A range of token indexes; `end` is excluded."""

    start: int
    end: int


class Script(NamedTuple):
    text: str
    tokens: tuple[Token, ...]
    partners: dict[int, int]
    """By a bracket's index: the index of its partner."""

    def word(self, at: int) -> str:
        """The token's text if it is a name or a sign, else ""."""
        if not 0 <= at < len(self.tokens):
            return ""
        token = self.tokens[at]
        return token.text if token.kind in {TokenKind.NAME, TokenKind.PUNCT} else ""

    def is_name(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].kind is TokenKind.NAME

    def string(self, at: int) -> str | None:
        if not 0 <= at < len(self.tokens):
            return None
        token = self.tokens[at]
        return token.text if token.kind in {TokenKind.STRING, TokenKind.TEMPLATE} else None

    def source(self, part: Statement) -> str:
        if part.start >= part.end:
            return ""
        return self.text[self.tokens[part.start].start : self.tokens[part.end - 1].end]

    def level(self, start: int, end: int) -> Iterator[int]:
        """Tokens of a range outside its brackets; the brackets themselves are included."""
        at = start
        while at < end:
            yield at
            at = self.partners[at] if self.word(at) in _CLOSERS else at + 1


_CLOSERS = {"(": ")", "[": "]", "{": "}", "${": "}"}
_OPENERS = frozenset(_CLOSERS.values())
_TOKEN = re.compile(
    r"""(?P<space>\s+) | (?P<comment>//[^\n]*|\#![^\n]*)
      | (?P<name>\#?(?:[^\W\d]|\$)[\w$]*) | (?P<number>\d[\w.]*|\.\d\w*)
      | (?P<punct>=>|\?\.|\.\.\.|[=!]==?|[<>]=|&&|\|\||\?\?|\+\+|--|\*\*|.)""",
    re.VERBOSE | re.DOTALL,
)
_BEFORE_REGEX = words(
    """return typeof case in of delete void throw new else do yield await instanceof"""
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|.)", re.DOTALL)

# Tokens at a line's end or start that continue the statement over the line break.
_OPEN_WORDS = words(
    """const let var return export import from extends async function class new else await typeof
    in of default as throw case instanceof void delete static get set interface type enum
    abstract declare public private protected readonly"""
)
_OPEN_SIGNS = words("= => , . ?. ? : + - * / % & | ^ && || ?? ! ~ < ( [ { ${ ... @")
_JOINING_WORDS = words("from extends implements as of in instanceof else catch finally")
_JOINING_SIGNS = words("= => , . ?. ? : + - * / % & | && || ?? ) ] } ( [ { < > == ===")


def read_script(text: str) -> Script:
    script = _read(text)
    if script is None:
        raise UnreadableError
    return script


@lru_cache(maxsize=128)
def _read(text: str) -> Script | None:
    if len(text) > MOST_CHARACTERS:
        return None
    scanner = _Scanner(text)
    try:
        scanner.run()
    except UnreadableError:
        return None
    return None if scanner.open else Script(text, tuple(scanner.tokens), scanner.partners)


def statements(script: Script, start: int, end: int) -> list[Statement]:
    """The statements at one level, split by semicolons and lines."""
    found: list[Statement] = []
    first = start
    for at in script.level(start, end):
        if script.word(at) == ";":
            found.append(Statement(first, at))
            first = at + 1
        elif at > first and _begins(script, first, at):
            found.append(Statement(first, at))
            first = at
    found.append(Statement(first, end))
    return [part for part in found if part.start < part.end]


def _begins(script: Script, first: int, at: int) -> bool:
    token = script.tokens[at]
    if not token.is_first or script.word(first) == "@":
        return False
    before, word = script.word(at - 1), script.word(at)
    if before in _OPEN_WORDS or before in _OPEN_SIGNS:
        return False
    return word not in _JOINING_SIGNS and word not in _JOINING_WORDS


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.partners: dict[int, int] = {}
        self.open: list[int] = []
        self._at = 0
        self._is_first = True
        # The position up to which a line is known to have no closing quote or slash.
        self._dead: dict[str, int] = {}

    def run(self) -> None:
        while self._at < len(self.text):
            if len(self.tokens) > _MOST_TOKENS:
                raise UnreadableError
            self._step()

    def _step(self) -> None:
        char = self.text[self._at]
        if char in "'\"" and self._quoted(char):
            return
        if char == "`":
            self._template(self._at + 1)
        elif self.text.startswith("/*", self._at):
            self._comment()
        elif char == "/" and self._is_regex():
            return
        else:
            self._plain()

    def _plain(self) -> None:
        match = _TOKEN.match(self.text, self._at)
        if match is None or match.lastgroup is None:
            raise UnreadableError
        kind, text = match.lastgroup, match[0]
        if kind == "space":
            self._is_first = self._is_first or "\n" in text
            self._at = match.end()
        elif kind == "comment":
            self._at = match.end()
        elif kind == "punct" and text == "}" and self._is_hole():
            self._close(text)
            self._template(self._at)
        else:
            self._put(TokenKind(kind), text, match.end())

    def _put(self, kind: TokenKind, text: str, end: int) -> None:
        if kind is TokenKind.PUNCT and text in _OPENERS:
            self._close(text)
            return
        if kind is TokenKind.PUNCT and text in _CLOSERS:
            if len(self.open) > _MOST_DEEP:
                raise UnreadableError
            self.open.append(len(self.tokens))
        self.tokens.append(Token(kind, text, self._at, end, self._is_first))
        self._is_first = False
        self._at = end

    def _close(self, text: str) -> None:
        if not self.open or _CLOSERS[self.tokens[self.open[-1]].text] != text:
            raise UnreadableError
        opened = self.open.pop()
        self.partners[opened] = len(self.tokens)
        self.partners[len(self.tokens)] = opened
        self.tokens.append(Token(TokenKind.PUNCT, text, self._at, self._at + 1, self._is_first))
        self._is_first = False
        self._at += 1

    def _is_hole(self) -> bool:
        return bool(self.open) and self.tokens[self.open[-1]].text == "${"

    def _comment(self) -> None:
        end = self.text.find("*/", self._at + 2)
        if end < 0:
            raise UnreadableError
        self._is_first = self._is_first or "\n" in self.text[self._at : end]
        self._at = end + 2

    def _quoted(self, quote: str) -> bool:
        if self._at < self._dead.get(quote, 0):
            return False
        at = self._at + 1
        while at < len(self.text) and self.text[at] not in (quote, "\n"):
            at += 2 if self.text[at] == "\\" else 1
        if at >= len(self.text) or self.text[at] == "\n":
            self._dead[quote] = at
            return False
        self._put(TokenKind.STRING, _unescaped(self.text[self._at + 1 : at]), at + 1)
        return True

    def _template(self, begin: int) -> None:
        """From a back-quote, or the end of a hole, to the next hole or the end."""
        at = begin
        while at < len(self.text) and self.text[at] != "`" and not self.text.startswith("${", at):
            at += 2 if self.text[at] == "\\" else 1
        if at >= len(self.text):
            raise UnreadableError
        text = _unescaped(self.text[begin:at])
        if self.text[at] == "`":
            self._put(TokenKind.TEMPLATE, text, at + 1)
            return
        self._put(TokenKind.TEMPLATE, text, at)
        self._put(TokenKind.PUNCT, "${", at + 2)

    def _is_regex(self) -> bool:
        is_comment = self.text.startswith("//", self._at)
        return not is_comment and self._can_be_regex() and self._regex()

    def _can_be_regex(self) -> bool:
        if not self.tokens:
            return True
        last = self.tokens[-1]
        if last.kind is TokenKind.NAME:
            return last.text in _BEFORE_REGEX
        return last.kind is TokenKind.PUNCT and last.text not in {")", "]", "}", "<", "++", "--"}

    def _regex(self) -> bool:
        if self._at < self._dead.get("/", 0):
            return False
        at, inside = self._at + 1, False
        while at < len(self.text) and self.text[at] != "\n":
            char = self.text[at]
            if char == "/" and not inside:
                break
            inside = (inside or char == "[") and char != "]"
            at += 2 if char == "\\" else 1
        if at >= len(self.text) or self.text[at] == "\n":
            self._dead["/"] = at
            return False
        end = at + 1
        while end < len(self.text) and self.text[end].isalpha():
            end += 1
        self._put(TokenKind.REGEX, self.text[self._at + 1 : at], end)
        return True


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 1:
        return _ESCAPES.get(code, code)
    number = int(code[1:].strip("{}"), 16)
    return chr(number) if number < 0x110000 else ""
