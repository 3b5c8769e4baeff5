"""What a workspace changed, seen from outside by looking at files: no command, no link followed."""

import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.workspace.manifest import Entry, Manifest, blob_oid

_MAX_HASHED = 64 << 20
_RACY_NS = 100_000_000
_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Stamp(NamedTuple):
    """Equal stamps mean equal content: a file's change time cannot be set."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Change(NamedTuple):
    entry: Entry | None
    """None: the file is gone."""
    size: int


class Worktree:
    """One sandbox's workspace: an overlay's upper folder, or a whole copy of the base."""

    def __init__(
        self,
        root: Path,
        manifest: Manifest,
        *,
        pristine: Mapping[str, Stamp] | None = None,
        known: Mapping[Stamp, str] | None = None,
    ) -> None:
        """`pristine` are a fresh copy's stamps; None says that `root` is an upper folder.

        `known` is what another one has read before.
        """
        self._root = os.fspath(root)
        self._manifest = manifest
        self._pristine = pristine
        self.known = dict(known or {})
        """Contents of files by their stamps, as far as they were read."""

    def changes(self) -> dict[str, Change]:
        """Changed paths in order; reads only files that changed since it read them."""
        walk = _Walk(self._root, self._manifest, self._pristine, self.known)
        found = walk.around()
        self.known = walk.oids
        return dict(sorted(found.items()))


def stamps(root: Path) -> dict[str, Stamp]:
    """A fresh copy's stamps, but for files so young that a change might not show."""
    found: dict[str, Stamp] = {}
    young = time.time_ns() - _RACY_NS
    for folder, _, names in os.walk(root):
        for name in names:
            path = f"{folder}/{name}"
            stamp = _stamp(os.lstat(path))
            if stamp.ctime_ns < young:
                found[os.path.relpath(path, root)] = stamp
    return found


class _Place(NamedTuple):
    """A folder on the walk: its path is "" or ends in a slash."""

    path: str
    ignored: bool


class _Walk:
    def __init__(
        self,
        root: str,
        manifest: Manifest,
        pristine: Mapping[str, Stamp] | None,
        known: Mapping[Stamp, str],
    ) -> None:
        self._root = root
        self._manifest = manifest
        self._is_upper = pristine is None
        self._pristine = pristine or {}
        self._known = known
        self._young = time.time_ns() - _RACY_NS
        self._present: set[str] = set()
        self._masked: list[str] = []
        """Where the base does not shine through: folders (with a slash) and files."""
        self._changes: dict[str, Change] = {}
        self.oids: dict[Stamp, str] = {}

    def around(self) -> dict[str, Change]:
        if not self._is_upper:
            self._masked.append("")
        places = [_Place("", ignored=False)]
        while places:
            places += self._enter(places.pop())
        for masked in self._masked:
            for path in self._manifest.at(masked):
                if path not in self._present:
                    self._changes[path] = Change(None, 0)
        return self._changes

    def _enter(self, place: _Place) -> Iterator[_Place]:
        """Look at a folder's entries; yields the folders in it that matter."""
        try:
            descriptor = os.open(f"{self._root}/{place.path}", _OPEN_FOLDER)
        except OSError:
            # Unreadable, or deeper than a path can name: git could not see it either.
            return
        try:
            if self._is_upper and place.path and _is_opaque(descriptor):
                self._masked.append(place.path)
            with os.scandir(descriptor) as scan:
                entries = list(scan)
            if place.path and any(_is_git(entry.name) for entry in entries):
                # A repository within is its own affair, as it is to `git add`.
                place = place._replace(ignored=True)
            for entry in entries:
                if not _is_git(entry.name):
                    yield from self._see(place, entry, descriptor)
        finally:
            os.close(descriptor)

    def _see(self, place: _Place, entry: "os.DirEntry[str]", folder: int) -> Iterator[_Place]:
        path = place.path + entry.name
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            self._masked.append(path)
            inner = f"{path}/"
            ignored = place.ignored or self._manifest.ignoring.covers(inner)
            if not ignored or self._manifest.has_below(inner):
                yield _Place(inner, ignored)
            return
        self._masked += (path, f"{path}/")
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            self._see_file(
                path, ignored=place.ignored, status=status, name=entry.name, folder=folder
            )

    def _see_file(
        self, path: str, *, ignored: bool, status: os.stat_result, name: str, folder: int
    ) -> None:
        tracked = self._manifest.tracked.get(path)
        if tracked is None and (
            ignored or path in self._manifest.leftovers or self._manifest.ignoring.covers(path)
        ):
            return
        self._present.add(path)
        stamp = _stamp(status)
        if self._pristine.get(path) == stamp:
            return
        entry = self._entry(stamp, status.st_mode, name=name, folder=folder)
        if entry != tracked:
            self._changes[path] = Change(entry, status.st_size)

    def _entry(self, stamp: Stamp, mode: int, *, name: str, folder: int) -> Entry:
        oid = self._known.get(stamp) or _oid(stamp, mode, name=name, folder=folder)
        if stamp.ctime_ns < self._young:
            self.oids[stamp] = oid
        if stat.S_ISLNK(mode):
            return Entry("120000", oid)
        return Entry("100755" if mode & stat.S_IXUSR else "100644", oid)


def _oid(stamp: Stamp, mode: int, *, name: str, folder: int) -> str:
    """Git's id of the content; for a file that is too big or unreadable, its stamp."""
    try:
        if stat.S_ISLNK(mode):
            return blob_oid(os.fsencode(os.readlink(name, dir_fd=folder)))
        if stamp.size <= _MAX_HASHED:
            with open(os.open(name, _OPEN_FILE, dir_fd=folder), "rb") as file:  # noqa: PTH123 - a descriptor
                return blob_oid(file.read(_MAX_HASHED))
    except OSError:
        pass
    return repr(tuple(stamp))


def _is_opaque(folder: int) -> bool:
    for name in _OPAQUE:
        try:
            return os.getxattr(folder, name) == b"y"
        except OSError:
            continue
    return False


def _is_git(name: str) -> bool:
    return name.lower() == ".git"


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
