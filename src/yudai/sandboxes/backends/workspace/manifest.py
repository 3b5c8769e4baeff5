"""What we know of a prepared base: tracked files, ignore rules, files that set-up left."""

import hashlib
import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

DEFAULTS = (
    "__pycache__/",
    "*.py[cod]",
    "*.egg-info/",
    ".coverage",
    ".coverage.*",
    ".hypothesis/",
    ".mypy_cache/",
    ".nox/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".tox/",
    ".venv/",
    "node_modules/",
    ".DS_Store",
    "*.swp",
)

_STARS = re.compile(r"\*+")
_MAX_STARS = 4
_MAX_PATH = 512
_MAX_REMEMBERED = 100_000


class _Rules(NamedTuple):
    folder: str
    """"" or a path that ends in a slash: the rules hold below it."""
    spec: GitIgnoreSpec


class Ignoring:
    """Git's rules: the deepest file that says something decides, then our own list."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """`files` are the texts of .gitignore files by the folder they are in ("" or "a/b/")."""
        rules = [_Rules(folder, _spec(text.splitlines())) for folder, text in files.items()]
        self._rules = sorted(rules, key=lambda r: len(r.folder), reverse=True)
        self._rules.append(_Rules("", _spec(DEFAULTS)))
        self._remembered: dict[str, bool] = {}

    def covers(self, path: str) -> bool:
        """`path` ends in a slash for a folder; its own folder must not be covered already."""
        known = self._remembered.get(path)
        if known is None:
            known = self._decide(path)
            if len(self._remembered) < _MAX_REMEMBERED:
                self._remembered[path] = known
        return known

    def _decide(self, path: str) -> bool:
        if len(path) > _MAX_PATH:
            return False
        for folder, spec in self._rules:
            if path.startswith(folder):
                decision = spec.check_file(path[len(folder) :]).include
                if decision is not None:
                    return decision
        return False


def _spec(lines: "list[str] | tuple[str, ...]") -> GitIgnoreSpec:
    # The more stars, the longer a hostile pattern can keep a hostile name busy.
    lines = [line for line in lines if len(_STARS.findall(line)) <= _MAX_STARS]
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_valid(line)])


def _is_valid(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


_MAX_IGNORE_BYTES = 1 << 20


class Entry(NamedTuple):
    """A file as git sees it."""

    mode: str
    oid: str


class Manifest:
    def __init__(
        self, tracked: dict[str, Entry], leftovers: frozenset[str], ignore: dict[str, str]
    ) -> None:
        """`ignore` are the texts of .gitignore files, as for `Ignoring`."""
        self.tracked = tracked
        self.leftovers = leftovers
        """Untracked files that the set-up made: never part of a patch."""
        self.ignore = ignore
        self.ignoring = Ignoring(ignore)
        self._sorted = sorted(tracked)

    def below(self, folder: str) -> Iterator[str]:
        """Tracked paths below a folder ("" or one that ends in a slash)."""
        for index in range(bisect_left(self._sorted, folder), len(self._sorted)):
            if not self._sorted[index].startswith(folder):
                return
            yield self._sorted[index]

    def at(self, path: str) -> Iterator[str]:
        """A tracked file of that path, or those below that folder."""
        if path.endswith("/") or not path:
            yield from self.below(path)
        elif path in self.tracked:
            yield path

    def has_below(self, folder: str) -> bool:
        return next(self.below(folder), None) is not None


def read(record: Path, tree: Path) -> Manifest:
    """Read what `seal.sh` wrote about a tree."""
    tracked: dict[str, Entry] = {}
    for line in _strings(record / "tracked"):
        words, _, path = line.partition("\t")
        mode, _kind, oid = words.split(" ")
        tracked[path] = Entry(mode, oid)
    ignore = {
        path.removesuffix(".gitignore"): _text(tree, path)
        for path in tracked
        if path == ".gitignore" or path.endswith("/.gitignore")
    }
    return Manifest(tracked, frozenset(_strings(record / "leftovers")), ignore)


def blob_oid(content: bytes) -> str:
    """The name that git gives to a file's content."""
    # Git's object names are SHA-1; nothing is trusted for having one.
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def _strings(file: Path) -> list[str]:
    return [os.fsdecode(s) for s in file.read_bytes().split(b"\0") if s]


def _text(tree: Path, path: str) -> str:
    """A file of the base, without following a link out of it."""
    folder = os.open(tree, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *parents, name = path.split("/")
        for part in parents:
            above, folder = folder, os.open(part, _FOLDER, dir_fd=folder)
            os.close(above)
        with open(os.open(name, _FILE, dir_fd=folder), "rb") as file:  # noqa: PTH123 - a descriptor
            return file.read(_MAX_IGNORE_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        os.close(folder)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
