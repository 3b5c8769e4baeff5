"""Our own bare repository for each root, independent of later changes by the person's git."""

import asyncio
import errno
import hashlib
import os
import posixpath
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from yudai.forge.adapters.git.command import Git
from yudai.forge.adapters.git.objects import LINK, find_entry, list_tree
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.patches.patch import readable

# Contents leave byte for byte, and no attribute of a tree leaves a file out.
ATTRIBUTES = (
    "* -text !eol !ident !filter !working-tree-encoding !export-subst !export-ignore !diff !merge\n"
)
_SHA256_NAME = 64
_MAX_HOPS = 8


class Caps(NamedTuple):
    """Limits on a tree."""

    total_bytes: int = 2 << 30
    files: int = 200_000


class Mirror:
    def __init__(self, folder: Path, object_format: str) -> None:
        self.folder = folder
        self.object_format = object_format

    @classmethod
    def of(cls, home: Path, root: Path, object_format: str) -> "Mirror":
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
        return cls(home / "repositories" / f"{name}-{object_format}", object_format)

    @classmethod
    def of_snapshot(cls, home: Path, snapshot: Snapshot) -> "Mirror":
        """The mirror of a snapshot; NotFoundError if it was removed."""
        wide = len(snapshot.tree) == _SHA256_NAME
        mirror = cls.of(home, snapshot.root, "sha256" if wide else "sha1")
        if not mirror.folder.exists():
            raise _gone(snapshot)
        return mirror

    @property
    def objects(self) -> Path:
        return self.folder / "objects"

    @property
    def git(self) -> Git:
        return Git(self.folder)

    def create(self) -> None:
        """Create it completely, unless another process was first."""
        if self.folder.exists():
            return
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder.parent, prefix=".new-") as draft:
            made = Path(draft) / "git"
            lay_out(made, self.object_format)
            (made / "info" / "attributes").write_text(ATTRIBUTES)
            try:
                made.rename(self.folder)
            except OSError:
                if not self.folder.exists():
                    raise

    async def take(self, source: Git, oids: Iterable[str]) -> None:
        """Copy what is missing here into one new pack; `source` reads the other's objects too."""
        listing = await self.git.ask(
            "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"
        )
        known = set(listing.decode().split())
        missing = [oid for oid in dict.fromkeys(oids) if oid not in known]
        if not missing:
            return
        ran = await source.run(
            *("pack-objects", "-q", "--window=0", str(self.objects / "pack" / "pack")),
            stdin="".join(f"{oid}\n" for oid in missing).encode(),
        )
        if ran.exit_code != 0:
            raise lacking(ran.error)

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Files and links of a snapshot."""
        await self.check(snapshot)
        entries = await list_tree(self.git, snapshot.tree)
        return tuple(_text(entry.path) for entry in entries if entry.is_file)

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int) -> bytes:
        """A file of a snapshot; a link is read as what it leads to in the tree."""
        await self.check(snapshot)
        for _ in range(_MAX_HOPS):
            entry = await find_entry(self.git, snapshot.tree, path)
            if entry is None or not entry.is_file:
                break
            if entry.size > max_bytes:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            content = await self.git.ask("cat-file", "blob", entry.oid)
            if entry.mode != LINK:
                return content
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), _text(content)))
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    async def check(self, snapshot: Snapshot) -> None:
        """NotFoundError if that tree is no longer stored."""
        ran = await self.git.run("cat-file", "-e", f"{snapshot.tree}^{{tree}}")
        if ran.exit_code != 0:
            raise _gone(snapshot)

    async def archive(self, tree: str, target: Path) -> None:
        """A tar archive of a tree. An existing one is reused and its age reset."""
        with suppress(FileNotFoundError):
            await asyncio.to_thread(os.utime, target)
            return
        with _draft(target) as file:
            await self.git.ask("archive", "--format=tar", tree, into=file)


def lay_out(folder: Path, object_format: str) -> None:
    """Create the minimum of a git repository."""
    for name in ("objects/pack", "refs", "info"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    wide = object_format == "sha256"
    config = f"[core]\n\trepositoryformatversion = {int(wide)}\n\tbare = true\n"
    extension = "[extensions]\n\tobjectFormat = sha256\n" if wide else ""
    (folder / "config").write_text(config + extension)


@contextmanager
def _draft(target: Path) -> Generator[IO[bytes]]:
    """A temporary file that is renamed to the target on success."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def lacking(complaint: str) -> RefusedError:
    return RefusedError(
        f"the repository lacks some of its objects ({complaint}): "
        "if it is a partial clone, make a full clone"
    )


def _gone(snapshot: Snapshot) -> NotFoundError:
    return NotFoundError(f"the snapshot of {snapshot.repo} is no longer stored: start a new solve")


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


@contextmanager
def readable_faults(home: Path) -> Generator[None]:
    """Translate errors of the system, with the file's name."""
    try:
        yield
    except OSError as error:
        where = readable(os.fsdecode(error.filename or home))
        raise RefusedError(f"cannot use {where}: {error.strerror}") from error
