"""Files that appear whole or not at all, also when the power fails."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """A file in the making."""

    path: Path
    file: BufferedRandom

    def become(self, target: Path) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        target.parent.mkdir(parents=True, exist_ok=True)
        self.path.replace(target)
        sync(target.parent)

    def drop(self) -> None:
        # A full disk complains once more about what is thrown away: the first complaint counts.
        with suppress(OSError):
            self.file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


@contextmanager
def part_in(folder: Path) -> Generator[Part]:
    """Gone afterwards, unless it has become something."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".part-")
    part = Part(Path(name), os.fdopen(descriptor, "w+b"))
    try:
        yield part
    finally:
        part.drop()


def write_file(target: Path, content: bytes) -> None:
    with part_in(target.parent) as part:
        part.file.write(content)
        part.become(target)


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
