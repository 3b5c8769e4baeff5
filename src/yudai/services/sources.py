"""The source archive of a solve, for workers on other machines than where it was taken."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from yudai.ports.artifacts import ArtifactKind, ArtifactRef, Artifacts
from yudai.ports.sandbox import BaseSpec


def _no_locks() -> WeakValueDictionary[str, asyncio.Lock]:
    return WeakValueDictionary()


@dataclass(frozen=True)
class Sources:
    artifacts: Artifacts
    folder: Path
    _fetching: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=_no_locks, repr=False)

    async def keep(self, base: BaseSpec) -> ArtifactRef:
        """Put its archive where every worker finds it."""
        return await self.artifacts.put(ArtifactKind.SOURCE, base.source)

    async def fetch(self, base: BaseSpec, ref: ArtifactRef | None) -> BaseSpec:
        """The same base with its archive on this machine, downloaded at most once."""
        if ref is None or await asyncio.to_thread(_is_there, base.source, ref.size):
            return base
        file = self.folder / f"{ref.sha256}.tar"
        lock = self._fetching.setdefault(ref.sha256, asyncio.Lock())
        async with lock:
            if not await asyncio.to_thread(_is_there, file, ref.size):
                await self.artifacts.save(ref, file)
        return base.model_copy(update={"source": file})


def _is_there(file: Path, size: int) -> bool:
    try:
        return file.is_file() and file.stat().st_size == size
    except OSError:
        return False
