"""Measures how much disk a folder takes, also when its contents are hostile."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_BLOCK = 512
_LEAST = 4096
_FAR = 2048
_MAX_STARTS = 100
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def usage(root: Path) -> int:
    """Bytes allocated below a folder, without following a link, at any depth.

    Others may be at work in it: what goes away meanwhile does not count.
    """
    total = 0
    # Folders left to visit, named relative to an open one: no path becomes too long.
    starts = [(os.open(root, _FOLDER), ["."])]
    try:
        while starts:
            start, waiting = starts[-1]
            if not waiting:
                os.close(starts.pop()[0])
            elif len(starts) > _MAX_STARTS:
                return sys.maxsize
            elif (found := _look(start, waiting.pop())) is not None:
                total += found.size
                if found.far:
                    starts.append((found.descriptor, found.folders))
                else:
                    waiting += found.folders
                    os.close(found.descriptor)
    finally:
        for start, _ in starts:
            os.close(start)
    return total


class _Found(NamedTuple):
    size: int
    folders: list[str]
    far: bool
    """So deep that names of its folders are counted from it."""
    descriptor: int


def _look(start: int, path: str) -> _Found | None:
    """What one folder holds; None when it may not be read."""
    try:
        descriptor = os.open(path, _FOLDER, dir_fd=start)
    except OSError:
        return None
    far, size, folders = len(path) > _FAR, 0, list[str]()
    with os.scandir(descriptor) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                size += max(entry.stat(follow_symlinks=False).st_blocks * _BLOCK, _LEAST)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name if far else f"{path}/{entry.name}")
    return _Found(size, folders, far, descriptor)
