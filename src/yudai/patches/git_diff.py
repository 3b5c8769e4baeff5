"""Reads the text of `git diff --binary --full-index --no-renames`, file by file."""

import re
from typing import NamedTuple

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_MODE = re.compile(r"(old mode|new mode|deleted file mode|new file mode) ([0-7]{6})")
_INDEX = re.compile(r"index [0-9a-f]+\.\.[0-9a-f]+(?: ([0-7]{6}))?")
_BLOCK = re.compile(r"(?:literal|delta) \d{1,12}")
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_ODD = re.compile(rb'["\\]')
_ESCAPES = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


class FileChange(Value):
    path: str
    kind: str
    """added, deleted, modified"""
    added: int
    removed: int
    is_binary: bool
    text: str
    """This file's whole section of the patch, from `diff --git` on."""
    old_mode: str = ""
    new_mode: str = ""
    """As git writes it (100644, 100755, 120000 ...); "" where the file does not exist."""

    @property
    def is_new(self) -> bool:
        return self.kind == "added"

    @property
    def added_lines(self) -> list[str]:
        return self._lines("+")

    @property
    def removed_lines(self) -> list[str]:
        return self._lines("-")

    def _lines(self, sign: str) -> list[str]:
        _, found, hunks = self.text.partition("\n@@ ")
        return [line[1:] for line in f"{found}{hunks}".split("\n") if line.startswith(sign)]


def read_changes(text: str) -> list[FileChange]:
    """Every file's section; RefusedError for any text that git did not make this way."""
    if not text:
        return []
    if not text.endswith("\n"):
        raise RefusedError("not a git patch: its last line has no end")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise RefusedError("not a git patch: it holds characters that no file can hold") from None
    reader = _Reader(text[:-1].split("\n"))
    changes: list[FileChange] = []
    while reader.peek() is not None:
        changes.append(_change(reader))
    return changes


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0

    def peek(self) -> str | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    def take(self) -> str:
        line = self.peek()
        if line is None:
            raise RefusedError("not a git patch: it ends in the middle of a file")
        self.at += 1
        return line

    def starts(self, prefix: str) -> bool:
        line = self.peek()
        return line is not None and line.startswith(prefix)

    def refuse(self, what: str) -> RefusedError:
        return RefusedError(f"not a git patch: {what} at line {self.at}")


class _Body(NamedTuple):
    added: int = 0
    removed: int = 0
    is_binary: bool = False


def _change(reader: _Reader) -> FileChange:
    start = reader.at
    header = reader.take()
    if not header.startswith("diff --git "):
        raise reader.refuse("`diff --git` expected")
    path = _header_path(header.removeprefix("diff --git "), reader)
    modes = _modes(reader)
    kind = _kind(modes)
    body = _body(reader, path, kind)
    if not modes:
        raise reader.refuse("a file without a change")
    shared = modes.get("index", "")
    return FileChange(
        path=path,
        kind=kind,
        added=body.added,
        removed=body.removed,
        is_binary=body.is_binary,
        text="\n".join(reader.lines[start : reader.at]) + "\n",
        old_mode=modes.get("old mode") or modes.get("deleted file mode") or shared,
        new_mode=modes.get("new mode") or modes.get("new file mode") or shared,
    )


def _modes(reader: _Reader) -> dict[str, str]:
    """The extended header: what happened to the file's mode, by git's own words."""
    modes: dict[str, str] = {}
    while (line := reader.peek()) is not None:
        if mode := _MODE.fullmatch(line):
            modes[mode[1]] = mode[2]
        elif index := _INDEX.fullmatch(line):
            modes["index"] = index[1] or ""
        else:
            break
        reader.take()
    return modes


def _kind(modes: dict[str, str]) -> str:
    if "new file mode" in modes:
        return "added"
    return "deleted" if "deleted file mode" in modes else "modified"


def _body(reader: _Reader, path: str, kind: str) -> _Body:
    if reader.peek() == "GIT binary patch":
        return _binary(reader)
    if reader.starts("--- "):
        return _text(reader, path, kind)
    if reader.peek() is not None and not reader.starts("diff --git "):
        raise reader.refuse("an unknown line (renames or `Binary files differ`?)")
    return _Body()


def _binary(reader: _Reader) -> _Body:
    reader.take()
    while (line := reader.peek()) is not None and _BLOCK.fullmatch(line):
        while reader.take():
            pass
    return _Body(is_binary=True)


def _text(reader: _Reader, path: str, kind: str) -> _Body:
    old = "/dev/null" if kind == "added" else f"a/{path}"
    new = "/dev/null" if kind == "deleted" else f"b/{path}"
    for prefix, name in (("--- ", old), ("+++ ", new)):
        line = reader.take()
        if not line.startswith(prefix) or _name(line[4:], reader) != name:
            raise reader.refuse("the names of a file do not agree")
    if not reader.starts("@@ "):
        raise reader.refuse("a hunk expected")
    added = removed = 0
    while reader.starts("@@ "):
        hunk = _hunk(reader)
        added, removed = added + hunk.added, removed + hunk.removed
    return _Body(added=added, removed=removed)


def _hunk(reader: _Reader) -> _Body:
    """Count down what the header announces: lines of a file may look like headers."""
    header = _HUNK.match(reader.take())
    if header is None:
        raise reader.refuse("a hunk's header cannot be read")
    old, new = (1 if count is None else int(count) for count in header.groups())
    added = removed = 0
    while old > 0 or new > 0:
        sign = reader.take()[:1]
        if sign not in ("+", "-", " ", "\\"):
            raise reader.refuse("a hunk has a line without a sign")
        added, removed = added + (sign == "+"), removed + (sign == "-")
        old, new = old - (sign in "- "), new - (sign in "+ ")
    if old or new:
        raise reader.refuse("a hunk is longer than announced")
    if reader.starts("\\ "):
        reader.take()
    return _Body(added=added, removed=removed)


def _header_path(names: str, reader: _Reader) -> str:
    """Without renames both names are the same, which makes spaces in them harmless."""
    if names.startswith('"'):
        middle = names.find('" "')
        old, new = _name(names[: middle + 1], reader), _name(names[middle + 2 :], reader)
    else:
        half = (len(names) - 1) // 2
        old, new = names[:half], names[half:].removeprefix(" ")
    path = old[2:]
    if not path or (old, new) != (f"a/{path}", f"b/{path}"):
        raise reader.refuse("two different names (made with renames?)")
    return path


def _name(name: str, reader: _Reader) -> str:
    """A path as git writes it: plain, with a tab after it, or quoted as in C."""
    name = name.removesuffix("\t")
    if not name.startswith('"'):
        return name
    inner = name[1:-1].encode("utf-8", "surrogateescape")
    if len(name) < 2 or not name.endswith('"') or _ODD.search(_ESCAPE.sub(b"", inner)):
        raise reader.refuse("a quoted name cannot be read")
    return _ESCAPE.sub(_unescape, inner).decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 0xFF if len(code) == 3 else _ESCAPES[code[0]]])
