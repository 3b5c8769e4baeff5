"""Folders of this machine: read through our own repository, changed only on request."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from platformdirs import user_config_path

from yudai.forge.adapters.folder.apply import fit, write_all
from yudai.forge.adapters.folder.changes import change_of
from yudai.forge.adapters.folder.snapshot import take_snapshot
from yudai.forge.adapters.folder.start_commit import find_start
from yudai.forge.adapters.git.branch import check_name, make_branch
from yudai.forge.adapters.git.command import Git, quoted
from yudai.forge.adapters.git.config import GitConfig, Person, read_config
from yudai.forge.adapters.git.find_repository import Place, find_place
from yudai.forge.adapters.git.mirror import Caps, Mirror, lacking, readable_faults
from yudai.forge.adapters.git.patch_tree import patch_tree
from yudai.forge.adapters.git.refs import Refs
from yudai.forge.adapters.git.scratch_repository import ScratchRepository, open_scratch
from yudai.forge.domain.change import Change
from yudai.forge.ports.folder import Snapshot
from yudai.kit.clock import Clock
from yudai.kit.errors import RefusedError
from yudai.patches.patch import readable


class LocalForge:
    def __init__(
        self, home: Path, clock: Clock, *, person: Path | None = None, caps: Caps | None = None
    ) -> None:
        """`person` is whose git configuration applies; the default is the current user."""
        self._home = home
        self._clock = clock
        self._person = (
            Person(Path.home(), user_config_path())
            if person is None
            else Person(person, person / ".config")
        )
        self._caps = caps or Caps()

    async def snapshot(self, target: str, *, base: str = "", dirty: bool = False) -> Snapshot:
        async with self._scratch(target) as scratch:
            start = await find_start(scratch.reading, scratch.place, base)
            return await take_snapshot(
                scratch, start, dirty=dirty, sources=self._home / "sources", caps=self._caps
            )

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        return await Mirror.of_snapshot(self._home, snapshot).paths(snapshot)

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        mirror = Mirror.of_snapshot(self._home, snapshot)
        return await mirror.read(snapshot, path, max_bytes=max_bytes)

    async def change(self, snapshot: Snapshot, change: Change) -> bytes:
        async with self._scratch_of(snapshot) as scratch:
            return await change_of(scratch, snapshot, change)

    async def apply(self, snapshot: Snapshot, patch: bytes) -> None:
        async with self._scratch_of(snapshot) as scratch:
            patched = await patch_tree(scratch, snapshot.tree, patch)
            edits = await fit(scratch, patched.differences)
            await asyncio.to_thread(write_all, scratch.place.root, edits)

    async def check_branch(self, snapshot: Snapshot, name: str) -> None:
        await _check_branch(snapshot, name)
        async with self._scratch_of(snapshot) as scratch:
            refs = Refs(scratch.place, shared=scratch.config.shared)
            await asyncio.to_thread(refs.check_free, name)

    async def branch(self, snapshot: Snapshot, patch: bytes, *, name: str, message: str) -> str:
        await _check_branch(snapshot, name)
        async with self._scratch_of(snapshot) as scratch:
            now = self._clock.now()
            return await make_branch(scratch, snapshot, patch, name=name, message=message, now=now)

    @asynccontextmanager
    async def _scratch(self, target: str) -> AsyncGenerator[ScratchRepository]:
        place = await asyncio.to_thread(find_place, target)
        config = await read_config(place, self._person)
        mirror = self._mirror(place, config)
        with readable_faults(self._home), open_scratch(mirror, place, config) as scratch:
            yield scratch

    def _mirror(self, place: Place, config: GitConfig) -> Mirror:
        return Mirror.of(self._home, place.root, config.object_format)

    @asynccontextmanager
    async def _scratch_of(self, snapshot: Snapshot) -> AsyncGenerator[ScratchRepository]:
        """Open the folder for a change; it must be the one that was read."""
        mirror = Mirror.of_snapshot(self._home, snapshot)
        async with self._scratch(str(snapshot.root)) as scratch:
            if scratch.mirror.folder != mirror.folder:
                raise RefusedError(
                    f"{readable(str(snapshot.root))} is another repository now: start a new solve"
                )
            await mirror.check(snapshot)
            yield scratch


async def _check_branch(snapshot: Snapshot, name: str) -> None:
    if snapshot.dirty:
        raise RefusedError(
            "a branch cannot hold your uncommitted changes: commit them first and start a new "
            "solve, or apply the patch"
        )
    await check_name(name)


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
    """Links their objects instead of copying them, if possible; makes no archive."""

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
