"""Removes, copies and builds folders on the host, also those made by hostile code."""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from yudai.kit.errors import SandboxError


def remove_tree(root: Path) -> None:
    """Remove a folder and all in it, without following a link; gone already is fine.

    Folders are moved up to the root before they are emptied, so that no depth is too deep.
    """
    names = count()
    with suppress(FileNotFoundError):
        _open_up(root)
        while folders := _empty(root, into=root, names=names):
            for folder in folders:
                _empty(folder, into=root, names=names)
                folder.rmdir()
        root.rmdir()


class Stuck(NamedTuple):
    """A path that could not be removed, and why."""

    path: Path
    error: OSError

    @property
    def words(self) -> str:
        return f"cannot remove {self.path}: {self.error.strerror or self.error}"


def try_to_remove(root: Path) -> Stuck | None:
    try:
        remove_tree(root)
    except OSError as error:
        return Stuck(root, error)
    return None


def _empty(folder: Path, *, into: Path, names: "count[int]") -> list[Path]:
    """Unlink the files of a folder and move its folders; returns where those are now."""
    moved: list[Path] = []
    with os.scandir(folder) as scan:
        entries = list(scan)
    for entry in entries:
        path = Path(entry.path)
        if not entry.is_dir(follow_symlinks=False):
            path.unlink()
            continue
        _open_up(path)
        moved.append(path if folder == into else path.rename(_free_name(into, names)))
    return moved


def _free_name(folder: Path, names: "count[int]") -> Path:
    return next(path for n in names if not os.path.lexists(path := folder / f".removing-{n}"))


def _open_up(folder: Path) -> None:
    mode = folder.lstat().st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        folder.chmod(stat.S_IRWXU)


async def copy_tree(source: Path, target: Path) -> None:
    """Links stay links, modes and times are kept; cheap where the file system can share blocks."""
    process = await asyncio.create_subprocess_exec(
        *("cp", "-a", "--", str(source), str(target)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        raise SandboxError(f"the base cannot be copied: {said.decode(errors='replace').strip()}")


def build_once(store: Path, facts: object, build: Callable[[Path], None]) -> Path:
    """The folder in a store that these facts name; it is built if it is missing."""
    folder = store / hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
    if not folder.exists():
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = Path(mkdtemp(prefix=".new-", dir=store))
        build(draft)
        draft.chmod(0o755)
        try:
            draft.rename(folder)
        except OSError:
            # Another process was faster.
            remove_tree(draft)
    return folder
