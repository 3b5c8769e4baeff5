"""Our scratch git directory for one operation, with copies of the repository's small files."""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from yudai.forge.adapters.git.command import Git
from yudai.forge.adapters.git.config import GitConfig
from yudai.forge.adapters.git.find_repository import Place, read_small
from yudai.forge.adapters.git.mirror import Mirror, lay_out


@dataclass(frozen=True)
class ScratchRepository:
    folder: Path
    mirror: Mirror
    place: Place
    config: GitConfig

    @property
    def writing(self) -> Git:
        """Git with our objects only; it may add some."""
        return Git(self.folder, objects=self.mirror.objects)

    @property
    def reading(self) -> Git:
        """Git with our objects and theirs; for read-only commands."""
        return replace(self.writing, alternates=(self.place.objects,))

    @property
    def theirs(self) -> Git:
        """Git with their objects only."""
        return Git(self.folder, alternates=(self.place.objects,))

    def over_files(self, git: Git) -> Git:
        """The same with their work tree, attributes and line-end settings."""
        return replace(git, work_tree=self.place.root, settings=self.config.reading)

    def copy_index(self, commit: str) -> None:
        """Their index with its times, which git compares with the files'."""
        (self.folder / "HEAD").write_text(f"{commit}\n")
        self.copy_attributes()
        for source in (
            self.place.common / "info" / "exclude",
            self.place.git_dir / "info" / "sparse-checkout",
        ):
            _copy_small(source, self.folder / "info")
        for source in (self.place.git_dir / "index", *self.place.git_dir.glob("sharedindex.*")):
            _copy(source, self.folder / source.name)

    def copy_attributes(self) -> None:
        """Attributes decide line ends and encodings."""
        _copy_small(self.place.common / "info" / "attributes", self.folder / "info")


@contextmanager
def open_scratch(mirror: Mirror, place: Place, config: GitConfig) -> Generator[ScratchRepository]:
    mirror.create()
    with tempfile.TemporaryDirectory(dir=mirror.folder.parent, prefix=".scratch-") as name:
        folder = Path(name) / "git"
        lay_out(folder, config.object_format)
        yield ScratchRepository(folder, mirror, place, config)


def _copy_small(source: Path, folder: Path) -> None:
    content = read_small(source)
    if content is not None:
        (folder / source.name).write_bytes(content)


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        return
    with source.open("rb") as theirs, target.open("wb") as ours:
        status = os.fstat(theirs.fileno())
        shutil.copyfileobj(theirs, ours)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
