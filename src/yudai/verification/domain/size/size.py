"""Measures the size of a change."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from yudai.patches.git_diff import FileChange
from yudai.patches.patch import Patch
from yudai.verification.domain.size.code_lines import code_lines

Texts = Mapping[str, str | None]
_NO_TEXTS: Texts = MappingProxyType({})
_DOCUMENTS = re.compile(
    r".*\.(?:md|markdown|rst|adoc)|(?:.*/)?(?:docs?|documentation)/.*\.(?:txt|png|jpe?g|gif|svg|webp)"
    r"|(?:.*/)?(?:newsfragments|changelog\.d)/.*"
    r"|(?:.*/)?(?:changelog|changes|history|news|readme|licen[cs]e|copying|authors|contributors"
    r"|notice)(?:\.txt)?",
    re.IGNORECASE,
)
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")


def size_of(source: Patch, before: Texts = _NO_TEXTS, after: Texts = _NO_TEXTS) -> int:
    """Number of changed lines of code: no comments, blank lines, documents or changelogs.

    `before` and `after` are the files' texts; without them only the hunks are read.
    """
    return sum(
        _size(change, before.get(change.path), after.get(change.path))
        for change in source.files
        if not _DOCUMENTS.fullmatch(change.path)
    )


def _size(change: FileChange, before: str | None, after: str | None) -> int:
    if change.is_binary:
        return 1
    return _side(change, "-", before) + _side(change, "+", after)


def _side(change: FileChange, sign: str, text: str | None) -> int:
    """Changed lines of code on one side."""
    whole = None if text is None else text.split("\n")
    size = 0
    for start, lines in _hunks(change, sign):
        changed = [number for number, (is_changed, _) in enumerate(lines) if is_changed]
        said = [line for _, line in lines]
        if whole is not None and text is not None and whole[start : start + len(said)] == said:
            found = code_lines(change.path, text)
            size += sum(start + number + 1 in found for number in changed)
        else:
            is_whole = change.kind != "modified"
            found = code_lines(change.path, "\n".join(said), is_whole=is_whole)
            size += sum(number + 1 in found for number in changed)
    return size


def _hunks(change: FileChange, sign: str) -> Iterator[tuple[int, list[tuple[bool, str]]]]:
    """Each hunk's first line number on one side, and its lines: whether changed, and the text."""
    _, found, rest = change.text.partition("\n@@ ")
    start, lines = 0, list[tuple[bool, str]]()
    for line in f"{found}{rest}".split("\n")[1:]:
        if header := _HUNK.match(line):
            yield start, lines
            start, lines = max(0, int(header[1 if sign == "-" else 2]) - 1), []
        elif line[:1] in {sign, " "}:
            lines.append((line[0] == sign, line[1:]))
    yield start, lines
