"""A preview of a folder's snapshot that stores nothing, to plan a solve before it is confirmed."""

import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.adapters.git.command import Git, quoted
from yudai.forge.adapters.git.config import GitConfig
from yudai.forge.adapters.git.find_repository import Place
from yudai.forge.adapters.git.mirror import Mirror, lacking
from yudai.kit.clock import Clock

_MISSING = b" missing"


@contextmanager
def open_preview(
    home: Path, clock: Clock, *, dirty: bool, person: Path | None = None
) -> Generator[LocalForge]:
    """All that it writes is in a scratch folder, which is gone afterwards.

    Without uncommitted changes the person's own objects are read where they are: a look costs as
    little for a big repository as for a small one.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=".look-") as scratch:
        yield _PreviewForge(Path(scratch), clock, copies=dirty, person=person)


class _PreviewForge(LocalForge):
    def __init__(self, home: Path, clock: Clock, *, copies: bool, person: Path | None) -> None:
        super().__init__(home, clock, person=person)
        self._copies = copies

    def _mirror(self, place: Place, config: GitConfig) -> Mirror:
        kept = super()._mirror(place, config)
        # Git renews the times of objects that it would write and finds in an alternate, and a
        # sparse index makes even `status` write: then we need objects of our own.
        is_sparse = (place.git_dir / "info" / "sparse-checkout").exists()
        theirs = None if self._copies or is_sparse else place.objects
        return _LinkedMirror(kept.folder, kept.object_format, theirs)


class _LinkedMirror(Mirror):
    """Shows their objects instead of copying them, if it may; makes no archive."""

    def __init__(self, folder: Path, object_format: str, theirs: Path | None) -> None:
        super().__init__(folder, object_format)
        self._theirs = theirs

    def create(self) -> None:
        super().create()
        if self._theirs is not None:
            info = self.objects / "info"
            info.mkdir(exist_ok=True)
            (info / "alternates").write_text(f"{quoted(self._theirs)}\n")

    async def take(self, source: Git, oids: Iterable[str]) -> None:
        if self._theirs is None:
            await super().take(source, oids)
            return
        asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
        found = await source.ask("cat-file", "--batch-check=%(objectname)", stdin=asked)
        for line in found.splitlines():
            if line.endswith(_MISSING):
                raise lacking(f"unable to read {line.removesuffix(_MISSING).decode()}")

    async def archive(self, tree: str, target: Path) -> None:
        del tree, target
