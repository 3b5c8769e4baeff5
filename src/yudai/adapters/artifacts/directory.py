"""Artifacts in a local directory, named by their content; writes are atomic."""

import asyncio
import hashlib
import os
import tempfile
from pathlib import Path

from yudai.domain.errors import NotFoundError
from yudai.ports.artifacts import ArtifactKind, ArtifactRef


class DirectoryArtifacts:
    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, kind: ArtifactKind, content: bytes) -> ArtifactRef:
        digest = hashlib.sha256(content).hexdigest()
        await asyncio.to_thread(self._write, self._path(digest), content)
        return ArtifactRef(kind=kind, sha256=digest, size=len(content))

    async def get(self, ref: ArtifactRef) -> bytes:
        try:
            return await asyncio.to_thread(self._path(ref.sha256).read_bytes)
        except FileNotFoundError:
            raise NotFoundError(f"the {ref.kind} is no longer stored (was it pruned?)") from None

    def _path(self, digest: str) -> Path:
        return self._root / digest[:2] / digest

    def _write(self, path: Path, content: bytes) -> None:
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
