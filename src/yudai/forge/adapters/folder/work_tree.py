"""Reads and writes a person's files through real folders only, following no link."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAX_FILE = 1 << 30


class Stamp(NamedTuple):
    inode: int
    size: int
    mtime_ns: int


class Found(NamedTuple):
    """What is at a path now."""

    kind: str
    """missing, file, link, folder, other"""
    content: bytes = b""
    permissions: int = 0
    owner: tuple[int, int] = (0, 0)
    stamp: Stamp = Stamp(0, 0, 0)


MISSING = Found("missing")


class WorkTree:
    """The folders above a path are opened one by one from the root, which stays open."""

    def __init__(self, descriptor: int) -> None:
        self._root = descriptor

    @contextmanager
    def parent(self, path: bytes) -> Generator[tuple[int, bytes]]:
        """The open folder and the name in it. OSError if a part of the path is not a folder."""
        *folders, name = path.split(b"/")
        here = os.dup(self._root)
        try:
            for folder in folders:
                above, here = here, os.open(folder, _FOLDER, dir_fd=here)
                os.close(above)
            yield here, name
        finally:
            os.close(here)

    def look(self, path: bytes) -> Found:
        try:
            with self.parent(path) as (folder, name):
                return _look(folder, name)
        except FileNotFoundError:
            return MISSING

    def barrier(self, path: bytes) -> bytes | None:
        """The nearest parent of a path that is not a folder."""
        parts = path.split(b"/")
        for depth in range(1, len(parts)):
            above = b"/".join(parts[:depth])
            found = self.look(above)
            if found.kind == "missing":
                return None
            if found.kind != "folder":
                return above
        return None

    def stamp(self, path: bytes) -> Stamp:
        with self.parent(path) as (folder, name):
            return _stamp(os.stat(name, dir_fd=folder, follow_symlinks=False))

    def rename(self, old: bytes, new: bytes) -> None:
        with self.parent(old) as (source, name), self.parent(new) as (target, other):
            os.rename(name, other, src_dir_fd=source, dst_dir_fd=target)

    def make_folder(self, path: bytes, mode: int | None = None) -> None:
        with self.parent(path) as (folder, name):
            os.mkdir(name, dir_fd=folder)
            if mode is not None:
                os.chmod(name, mode, dir_fd=folder)

    def remove_folder(self, path: bytes) -> None:
        with self.parent(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def remove(self, path: bytes) -> None:
        with self.parent(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def write_link(self, path: bytes, target: bytes) -> None:
        with self.parent(path) as (folder, name):
            os.symlink(target, name, dir_fd=folder)

    def write_file(self, path: bytes, content: bytes, *, executable: bool, like: Found) -> None:
        """Create a file. A replacement keeps permissions and owner of the old one."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self.parent(path) as (folder, name):
            descriptor = os.open(name, flags, 0o777 if executable else 0o666, dir_fd=folder)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(content)
            if like.kind == "file":
                _resemble(descriptor, like, executable=executable)
            file.flush()
            os.fsync(descriptor)


@contextmanager
def open_work_tree(root: Path) -> Generator[WorkTree]:
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield WorkTree(descriptor)
    finally:
        os.close(descriptor)


def _look(folder: int, name: bytes) -> Found:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return Found("link", os.readlink(name, dir_fd=folder), stamp=_stamp(status))
    if stat.S_ISDIR(status.st_mode):
        return Found("folder", permissions=stat.S_IMODE(status.st_mode))
    if not stat.S_ISREG(status.st_mode):
        return Found("other")
    descriptor = os.open(name, _FILE, dir_fd=folder)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        status = os.fstat(descriptor)
        if status.st_size > _MAX_FILE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        content = file.read()
    owner = (status.st_uid, status.st_gid)
    return Found("file", content, stat.S_IMODE(status.st_mode), owner, _stamp(status))


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns)


def _resemble(descriptor: int, like: Found, *, executable: bool) -> None:
    permissions = like.permissions & ~0o111
    if executable:
        permissions |= like.permissions & 0o111 or (permissions & 0o444) >> 2
    status = os.fstat(descriptor)
    if (status.st_uid, status.st_gid) != like.owner:
        os.fchown(descriptor, *like.owner)
    os.fchmod(descriptor, permissions)
