"""Paths of the mirrors, and the lock for writing to one."""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from yudai.forge.adapters.git.mirror import Mirror
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import NotFoundError
from yudai.kit.locks import wait_for_lock
from yudai.patches.patch import readable

PINS = "refs/yudai/pins"
"""Refs of commits in use: they keep git's garbage collection from removing them."""
BUILT = "refs/yudai/built"
_SHA1 = "sha1"
_SHA = re.compile(r"[0-9a-f]{40}")


def is_whole_name(commit: str) -> bool:
    return _SHA.fullmatch(commit) is not None


class MirrorLocations:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def mirror(self, repo: RepoRef) -> Mirror:
        """Names are case-insensitive at forges."""
        name = f"{repo.owner}-{repo.name}".lower()[:100]
        digest = hashlib.sha256(repo.url.lower().encode()).hexdigest()[:16]
        return Mirror(self.folder / f"{name}-{digest}", _SHA1)

    def of_snapshot(self, snapshot: Snapshot) -> Mirror:
        if snapshot.root.parent != self.folder or not snapshot.root.exists():
            raise NotFoundError(
                f"the snapshot of {snapshot.repo} is not stored here: start a new solve"
            )
        return Mirror(snapshot.root, _SHA1)

    def builder_of(self, commit: str) -> Mirror:
        """The mirror that a commit was built in: it may be pushed to a fork of that repository."""
        refs = self.folder.glob(f"*/{BUILT}/{commit}") if is_whole_name(commit) else ()
        for ref in refs:
            return Mirror(ref.parents[len(Path(BUILT).parts)], _SHA1)
        raise NotFoundError(f"commit {readable(commit)[:12]} was not built here: build it again")

    @asynccontextmanager
    async def writing(self, mirror: Mirror) -> AsyncGenerator[None]:
        """Hold the mirror's write lock over all processes; creates the mirror if needed."""
        await asyncio.to_thread(mirror.create)
        lock = self._locks.setdefault(mirror.folder, asyncio.Lock())
        async with lock:
            file = mirror.folder.with_name(f"{mirror.folder.name}.lock")
            descriptor = await wait_for_lock(file)
            try:
                yield
            finally:
                os.close(descriptor)
