"""Values that an issue gives as code or in quotes, as a whole or as a result."""

import re
from collections.abc import Iterator
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from yudai.verification.domain.expected.literals import Literal, literal_of, text_literal

_MAX_ISSUE = 100_000
_MAX_FOUND = 5_000
_MAX_LINE = 2_000
_MAX_RESULTS = 20

_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_LISTED = re.compile(r"\s*([-*+]|\d+[.)])\s")
_INLINE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`]{1,2000})(?<!`)\1(?!`)")
_QUOTED = re.compile(
    r"""
      "([^"\n]{1,500})" | (?<!\w)'([^'\n]{1,500})'(?!\w) | \u201c([^\u201d\n]{1,500})\u201d
    | \u2018([^\u2019\n]{1,500})\u2019(?!\w) | \u00ab([^\u00bb\n]{1,500})\u00bb
    """,
    re.VERBOSE,
)
# A result follows one of these.
_RESULT = re.compile(
    r"===?|->|=>|\u2192|\u21d2|\#|//|:\s"
    r"|\b(?:assert\w*|\w*[eE]quals?|eql?|is|same)\(|\.to[A-Z]\w*\("
    r"|\b(?:returns?|is|yields?|gives?|equals?|expected|to)\b"
)
_COMMENT = re.compile(r"\s+(?:#|//).*")


class _Codes(NamedTuple):
    blocks: list[str]
    prose: str


def given_values(issue: str) -> Iterator[str]:
    """All texts in code or quotes that may be a result, as they are written."""
    yield from islice(_all_given(issue[:_MAX_ISSUE]), _MAX_FOUND)


def is_given(issue: str, now: str) -> bool:
    meant = literal_of(now)
    for given in given_values(issue):
        if meant is None and " ".join(given.split()) == " ".join(now.split()):
            return True
        if meant is not None and _is_meant(given, meant):
            return True
    text = meant[1] if meant and meant[0] == "text" else None
    return isinstance(text, str) and _is_block_of(_codes(issue[:_MAX_ISSUE]).blocks, text)


def _is_meant(given: str, meant: Literal) -> bool:
    written = literal_of(given)
    if meant in {written, text_literal(given)}:
        return True
    # An inline snapshot is a string that contains a literal.
    inner = literal_of(meant[1]) if isinstance(meant[1], str) else None
    return inner is not None and inner in {written, text_literal(given)}


def _is_block_of(blocks: list[str], text: str) -> bool:
    """Whether a code block contains these lines in sequence."""
    meant = f"\n{_plain(text)}\n"
    return bool(meant.strip()) and any(meant in f"\n{_plain(block)}\n" for block in blocks)


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in dedent(text).strip("\n").split("\n"))


def _all_given(issue: str) -> Iterator[str]:
    codes = _codes(issue)
    for block in codes.blocks:
        yield block.strip()
        for line in block.split("\n"):
            yield from _results(line)
    for match in _INLINE.finditer(codes.prose):
        yield from _results(match[2])
    for match in _QUOTED.finditer(_INLINE.sub(" ", codes.prose)):
        yield next(group for group in match.groups() if group is not None)


def _results(code: str) -> Iterator[str]:
    """The whole line of code, and each part of it that may be a result."""
    code = code.strip()[:_MAX_LINE]
    yield code
    for match in islice(_RESULT.finditer(code), _MAX_RESULTS):
        rest = _COMMENT.sub("", code[match.end() :]).strip()
        yield rest
        yield rest.rstrip(".,;)")
        if code[match.end() - 1] == "(":
            yield rest.rstrip(".,;)").rpartition(",")[2].strip()


def _codes(issue: str) -> _Codes:
    """Splits the issue into code blocks, fenced or indented, and prose."""
    found = _Reader()
    for line in issue.splitlines():
        found.add(line)
    found.end_block()
    return _Codes(found.blocks, "\n".join(found.prose))


class _Reader:
    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.prose: list[str] = []
        self._block: list[str] = []
        self._fence = ""
        self._is_listed = False

    def add(self, line: str) -> None:
        mark = _FENCE.match(line)
        if self._fence:
            if mark and mark[1].startswith(self._fence) and not line[mark.end() :].strip():
                self.end_block()
            else:
                self._block.append(line)
        elif mark and "`" not in line[mark.end() :]:
            self.end_block()
            self._fence = mark[1]
        else:
            self._add_unfenced(line)

    def end_block(self) -> None:
        self.blocks += ["\n".join(self._block)] if self._block else []
        self._block, self._fence = [], ""

    def _add_unfenced(self, line: str) -> None:
        # Indented lines below a list item belong to its text.
        goes_on = self._is_listed and (not line.strip() or line[0].isspace())
        self._is_listed = goes_on or _LISTED.match(line) is not None
        may_start = bool(self._block) or not self.prose or not self.prose[-1].strip()
        if line.startswith(("    ", "\t")) and line.strip() and may_start and not goes_on:
            self._block.append(line)
            return
        if line.strip():
            self.end_block()
        self.prose.append(line)
