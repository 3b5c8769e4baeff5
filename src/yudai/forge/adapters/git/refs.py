"""A repository's branches, read from their files, and the making of a new one."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.git.find_repository import Place, read_small
from yudai.kit.errors import ConflictError
from yudai.patches.patch import readable

_NAMED = {
    **dict.fromkeys(("group", "true", "1"), 0o660),
    **dict.fromkeys(("all", "world", "everybody", "2"), 0o664),
}


def share(path: Path, shared: str) -> None:
    """Widen a new file's or folder's mode by what `core.sharedRepository` says."""
    wanted = _NAMED.get(shared.lower(), 0)
    if not wanted:
        return
    mode = path.lstat().st_mode
    if not mode & stat.S_IWUSR:
        wanted &= 0o444
    if stat.S_ISDIR(mode):
        wanted |= (wanted & 0o444) >> 2 | stat.S_ISGID
    path.chmod(stat.S_IMODE(mode) | wanted)


HEADS = "refs/heads/"

_MAX_PACKED = 256 << 20
_MAX_HOPS = 5
_OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Head(NamedTuple):
    branch: str | None
    """None: detached."""
    oid: str | None
    """None: the branch has no commit yet."""


class Refs:
    def __init__(self, place: Place, *, shared: str = "") -> None:
        self._place = place
        self._shared = shared

    def head(self) -> Head:
        target = _read(self._place.git_dir / "HEAD")
        if target is None or not target.startswith("refs/"):
            return Head(None, target)
        return Head(target.removeprefix(HEADS), self.find(target))

    def find(self, name: str) -> str | None:
        """The object id of a full name like `refs/heads/main`."""
        for _ in range(_MAX_HOPS):
            if not _is_tame(name):
                return None
            target = _read(self._place.common / name) or self._packed().get(name)
            if target is None or not target.startswith("refs/"):
                return target
            name = target
        return None

    def branches(self) -> list[str]:
        names = {*self._packed(), *self._loose()}
        return sorted(name.removeprefix(HEADS) for name in names if name.startswith(HEADS))

    def create(self, branch: str, oid: str) -> None:
        """Like git: a lock file, a last check, a rename; no hook, no reflog."""
        path = self._place.common / HEADS / branch
        self.check_free(branch)
        self._make_folders(path.parent)
        lock = path.with_name(f"{path.name}.lock")
        try:
            descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            raise ConflictError(f"another process is creating branch {readable(branch)}") from None
        try:
            with open(descriptor, "w") as file:  # noqa: PTH123 - a descriptor
                file.write(f"{oid}\n")
                file.flush()
                os.fsync(descriptor)
            self.check_free(branch)
            share(lock, self._shared)
            _remove_empty_folders(path)
            lock.rename(path)
        except BaseException:
            lock.unlink(missing_ok=True)
            raise

    def check_free(self, branch: str) -> None:
        """ConflictError for a branch that is there, would be its folder, or would lie below it."""
        for other in self.branches():
            if other == branch:
                raise ConflictError(
                    f"there is a branch {readable(branch)} already: choose another name"
                )
            if branch.startswith(f"{other}/") or other.startswith(f"{branch}/"):
                raise ConflictError(
                    f"branch {readable(other)} is in the way of {readable(branch)}: "
                    "choose another name"
                )
        if HEADS + branch in self._checked_out():
            raise ConflictError(
                f"branch {readable(branch)} is checked out without a commit: choose another name"
            )

    def _make_folders(self, folder: Path) -> None:
        """Refuse folders that are links."""
        top = self._place.common / HEADS
        missing = [above for above in (folder, *folder.parents) if not above.exists()]
        for above in reversed(missing):
            above.mkdir(exist_ok=True)
            share(above, self._shared)
        if folder.resolve() != top.resolve() / folder.relative_to(top):
            raise ConflictError(f"{readable(str(folder))} leads elsewhere: choose another name")

    def _checked_out(self) -> Iterator[str | None]:
        yield _read(self._place.common / "HEAD")
        for head in self._place.common.glob("worktrees/*/HEAD"):
            yield _read(head)

    def _packed(self) -> dict[str, str]:
        content = read_small(self._place.common / "packed-refs", max_bytes=_MAX_PACKED) or b""
        found: dict[str, str] = {}
        for line in content.split(b"\n"):
            oid, _, name = line.partition(b" ")
            if name and _OID.fullmatch(oid):
                found[os.fsdecode(name)] = oid.decode()
        return found

    def _loose(self) -> Iterator[str]:
        top = self._place.common / HEADS
        for folder, _, names in os.walk(top):
            for name in names:
                if not name.endswith(".lock"):
                    yield HEADS + (Path(folder) / name).relative_to(top).as_posix()


def _read(path: Path) -> str | None:
    """The object id or, for a symbolic ref, the other ref's name."""
    if path.is_symlink() and str(path.readlink()).startswith("refs/"):
        return str(path.readlink())
    if path.is_dir():
        return None
    content = (read_small(path) or b"").strip()
    if content.startswith(b"ref:"):
        return os.fsdecode(content.removeprefix(b"ref:").strip())
    return content.decode() if _OID.fullmatch(content) else None


def _is_tame(name: str) -> bool:
    return not {"", ".", ".."} & set(name.split("/")) and "\0" not in name


def _remove_empty_folders(path: Path) -> None:
    """Git leaves folders of deleted branches behind."""
    with suppress(OSError):
        for folder, _, _ in sorted(os.walk(path), reverse=True):
            Path(folder).rmdir()
