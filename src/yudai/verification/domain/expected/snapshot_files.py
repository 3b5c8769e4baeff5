"""Reads snapshot files of jest, vitest, node:test (`exports[...] = ...`) and syrupy (`.ambr`)."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from yudai.verification.domain.expected.change import Change
from yudai.verification.domain.expected.subject import Subject

_MAX_TEXT = 5_000_000
_TITLE_WORD = re.compile(r"(?<![A-Za-z])(?!tests?(?![A-Za-z]))[A-Za-z]{4,}")
_SCRIPTS = re.compile(r".*(/__snapshots__/[^/]*\.snap|\.snapshot)")
_AMBER = re.compile(r".*\.ambr")
# No `${`: these files are executed.
_QUOTED = r"`(?:[^`\\$]|\\.|\$(?!\{))*`"
_ENTRY = re.compile(rf"exports\[({_QUOTED})\]\s*=\s*({_QUOTED});?", re.DOTALL)
_BETWEEN = re.compile(r"\s+|//[^\n\r\u2028\u2029]*")
_ESCAPED = re.compile(r"\\([`\\$])")


class SnapshotChanges(NamedTuple):
    changes: tuple[Change, ...] = ()
    is_weakened: bool = False
    """Entries were removed, or the file contains something besides entries."""


def is_snapshot_file(path: str) -> bool:
    return _SCRIPTS.fullmatch(path) is not None or _AMBER.fullmatch(path) is not None


def snapshot_changes(path: str, base: str, patched: str) -> SnapshotChanges | None:
    """Changed entries, and whether others were removed; None if base is not a snapshot file."""
    read = _amber if _AMBER.fullmatch(path) else _script
    before, after = _entries(read, base), _entries(read, patched)
    if before is None:
        return None
    if after is None:
        return SnapshotChanges(is_weakened=True)
    changes = (
        Change(key, value, after[key], _subject(key))
        for key, value in before.items()
        if key in after and after[key] != value
    )
    return SnapshotChanges(tuple(changes), is_weakened=not before.keys() <= after.keys())


def _subject(key: str) -> Subject:
    """The subject of an entry, of which only the titles are known."""
    return Subject(tuple(dict.fromkeys(_TITLE_WORD.findall(key))), (), is_clear=True)


class _UnreadableError(Exception):
    pass


def _entries(read: Callable[[str], Iterator[tuple[str, str]]], text: str) -> dict[str, str] | None:
    """Entries by key; None if the file is unreadable or two entries have one key."""
    if len(text) > _MAX_TEXT:
        return None
    try:
        found = list(read(text))
    except _UnreadableError:
        return None
    entries = dict(found)
    return entries if len(entries) == len(found) else None


def _script(text: str) -> Iterator[tuple[str, str]]:
    at = _after_space(text, 0)
    while match := _ENTRY.match(text, at):
        key, value = (_ESCAPED.sub(r"\1", part[1:-1]) for part in match.groups())
        yield key, value.strip("\n")
        at = _after_space(text, match.end())
    if at < len(text):
        raise _UnreadableError


def _after_space(text: str, at: int) -> int:
    while match := _BETWEEN.match(text, at):
        at = match.end()
    return at


def _amber(text: str) -> Iterator[tuple[str, str]]:
    key: str | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        if key is None and line.startswith("# name: "):
            key, lines = line.removeprefix("# name: "), []
        elif key is not None and line == "# ---":
            yield key, "\n".join(lines)
            key = None
        elif key is not None and not line.startswith("# name: "):
            lines.append(line)
        elif key is not None or (line.strip() and not line.startswith("#")):
            raise _UnreadableError
    if key is not None:
        raise _UnreadableError
