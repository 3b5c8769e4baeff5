"""Source archives of solves, shared with workers on other machines."""

import asyncio
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from yudai.artifacts.port import ArtifactKind, ArtifactRef, Artifacts
from yudai.sandboxes.port import BaseSpec


@dataclass(frozen=True)
class Sources:
    artifacts: Artifacts
    folder: Path
    _fetching: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock], repr=False
    )

    async def keep(self, base: BaseSpec) -> ArtifactRef:
        """Upload a base's archive for other workers."""
        return await self.artifacts.put(ArtifactKind.SOURCE, base.source)

    async def fetch(self, base: BaseSpec, ref: ArtifactRef | None) -> BaseSpec:
        """The base with its archive on this machine, downloaded at most once."""
        if ref is None or await asyncio.to_thread(_is_there, base.source, ref.size):
            return base
        file = self.folder / f"{ref.sha256}.tar"
        lock = self._fetching.setdefault(ref.sha256, asyncio.Lock())
        async with lock:
            if not await asyncio.to_thread(_is_there, file, ref.size):
                await self.artifacts.save(ref, file)
        return base.model_copy(update={"source": file})

    async def older_than(self, moment: float) -> list[Path]:
        """Archives on this machine that were not used since."""
        return await asyncio.to_thread(_older_than, self.folder, moment)

    async def prune(self, moment: float, *, needed: Collection[Path]) -> int:
        """Remove older archives that are not needed; return how many."""
        return await asyncio.to_thread(_remove, self.folder, moment, {*needed})


def _is_there(file: Path, size: int) -> bool:
    """Whether the archive is here and complete; if so its age is reset."""
    try:
        if not file.is_file() or file.stat().st_size != size:
            return False
        os.utime(file)
    except OSError:
        return False
    return True


def _older_than(folder: Path, moment: float) -> list[Path]:
    found: list[Path] = []
    for file in folder.glob("*"):
        with suppress(FileNotFoundError):
            if file.is_file() and file.stat().st_mtime < moment:
                found.append(file)
    return found


def _remove(folder: Path, moment: float, needed: set[Path]) -> int:
    old = [file for file in _older_than(folder, moment) if file not in needed]
    for file in old:
        file.unlink(missing_ok=True)
    return len(old)
