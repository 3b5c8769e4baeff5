"""Atomic files: they appear complete or not at all, also after a power failure."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path


@dataclass(frozen=True)
class PartialFile:
    """A temporary file that `commit` renames to its target."""

    path: Path
    file: BufferedRandom

    def commit(self, target: Path) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        target.parent.mkdir(parents=True, exist_ok=True)
        self.path.replace(target)
        sync(target.parent)

    def drop(self) -> None:
        # On a full disk closing fails again; the first error counts.
        with suppress(OSError):
            self.file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


@contextmanager
def partial_file_in(folder: Path) -> Generator[PartialFile]:
    """A temporary file, removed afterwards unless it was committed."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".part-")
    part = PartialFile(Path(name), os.fdopen(descriptor, "w+b"))
    try:
        yield part
    finally:
        part.drop()


def write_file(target: Path, content: bytes) -> None:
    with partial_file_in(target.parent) as part:
        part.file.write(content)
        part.commit(target)


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
