"""Finds the repository around a folder by looking at files alone."""

import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

from yudai.kit.errors import NotFoundError, RefusedError
from yudai.patches.patch import readable

_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_MAX_SMALL = 1 << 20
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Place(NamedTuple):
    root: Path
    """The work tree."""
    git_dir: Path
    """What belongs to this work tree alone: HEAD, index."""
    common: Path
    """What all work trees of the repository share: objects, refs, config."""
    folder: str = ""
    """The target inside the root: "" or a relative path."""

    @property
    def objects(self) -> Path:
        return self.common / "objects"


def find_place(target: str) -> Place:
    """Walk up to the repository; RefusedError says what to do when there is none."""
    shown = readable(target)
    try:
        start = Path(os.path.realpath(target))
        str(start).encode()
        if not _is_folder(start):
            raise _no_folder(start, shown)
        os.scandir(start).close()
        return _walk_up(start, shown)
    except UnicodeEncodeError:
        raise RefusedError(f"the path of {shown} is not UTF-8: rename the folder") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise RefusedError(f"cannot read {shown}: {why}") from None


def read_small(path: Path, *, max_bytes: int = _MAX_SMALL) -> bytes | None:
    """A file's contents, or None when it is missing; never waits for a pipe."""
    try:
        descriptor = os.open(path, _OPEN)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise RefusedError(f"{readable(str(path))} is larger than {max_bytes >> 20} MB")
    return content


def _is_folder(path: Path) -> bool:
    """OSError when that cannot be seen: from Python 3.14 on `is_dir` calls it no folder."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        if error.errno in _MISSING:
            return False
        raise


def _no_folder(start: Path, shown: str) -> RefusedError:
    if start.exists():
        return RefusedError(f"{shown} is a file: name the folder of a git repository")
    return NotFoundError(f"there is no folder {shown}: name the folder of a git repository")


def _walk_up(start: Path, shown: str) -> Place:
    for root in (start, *start.parents):
        if _is_git_dir(root):
            raise RefusedError(
                f"{shown} is a bare repository or a .git folder: name a folder with a work tree"
            )
        git_dir = _git_dir(root / ".git")
        if git_dir is not None:
            folder = "" if start == root else start.relative_to(root).as_posix()
            return Place(root, git_dir, _common(git_dir), folder)
    raise RefusedError(
        f"{shown} is not a git repository: run `git init` and commit, or name another folder"
    )


def _git_dir(entry: Path) -> Path | None:
    """A folder `.git`, or where a file `.git` leads: work trees and submodules have one."""
    if _is_folder(entry):
        return entry if _is_git_dir(entry) else None
    content = read_small(entry)
    if content is None or not content.startswith(b"gitdir: "):
        return None
    path = entry.parent / os.fsdecode(content.removeprefix(b"gitdir: ").rstrip(b"\r\n"))
    if not (path / "HEAD").exists():
        raise RefusedError(
            f"{readable(str(entry))} leads to a repository that is gone: run `git worktree repair`"
        )
    return path


def _common(git_dir: Path) -> Path:
    content = read_small(git_dir / "commondir")
    if content is None:
        return git_dir
    return Path(os.path.realpath(git_dir / os.fsdecode(content.rstrip(b"\r\n"))))


def _is_git_dir(folder: Path) -> bool:
    head = folder / "HEAD"
    has_head = head.is_symlink() or (_is_there(head) and not _is_folder(head))
    return has_head and _is_folder(folder / "objects") and _is_folder(folder / "refs")


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except OSError as error:
        if error.errno in _MISSING:
            return False
        raise
    return True
