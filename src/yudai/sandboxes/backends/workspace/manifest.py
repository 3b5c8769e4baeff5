"""A prepared base as the control plane knows it: tracked files, ignore rules, what set-up left."""

import hashlib
import os
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.workspace.ignoring import Ignoring

_MAX_IGNORE_BYTES = 1 << 20


class Entry(NamedTuple):
    """A file as git sees it."""

    mode: str
    oid: str


class Manifest:
    def __init__(
        self, tracked: dict[str, Entry], leftovers: frozenset[str], ignoring: Ignoring
    ) -> None:
        self.tracked = tracked
        self.leftovers = leftovers
        """Untracked files that the set-up made: never part of a patch."""
        self.ignoring = ignoring
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


class Facts(NamedTuple):
    """What a manifest is made of, plain enough to be written down."""

    tracked: dict[str, Entry]
    leftovers: frozenset[str]
    ignore: dict[str, str]
    """Texts of .gitignore files by the folder they are in ("" or "a/b/")."""

    @property
    def manifest(self) -> Manifest:
        return Manifest(self.tracked, self.leftovers, Ignoring(self.ignore))


def load(folder: Path) -> Manifest:
    """Read what `seal.sh` wrote about the tree beside it."""
    return read(folder / "record", folder / "tree").manifest


def read(record: Path, tree: Path) -> Facts:
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
    return Facts(tracked, frozenset(_strings(record / "leftovers")), ignore)


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
