"""A real backend with a small repository in it, and patches of that repository made by real git."""

import hashlib
import io
import os
import subprocess
import tarfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.bare_env import bare_env
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.port import BaseRef, BaseSpec, Sandbox

Files = Mapping[str, str | bytes | None]
"""Contents by path; None: deleted."""

_GIT_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


def content(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else dedent(text).lstrip("\n").encode()


class Ground:
    def __init__(self, folder: Path, backend: BubblewrapBackend, env: Path) -> None:
        self.folder = folder
        self.backend = backend
        self.env = env

    async def base(self, files: Files, *, node: bool = False) -> BaseRef:
        source = self.folder / "source.tar"
        with tarfile.open(source, "w") as archive:
            for name, text in files.items():
                blob = content(text or "")
                member = tarfile.TarInfo(name)
                member.size = len(blob)
                archive.addfile(member, io.BytesIO(blob))
        key = hashlib.sha256(repr((files, node)).encode()).hexdigest()[:16]
        spec = BaseSpec(key=key, source=source, env=self.env, node=node)
        return await self.backend.prepare(spec)

    @asynccontextmanager
    async def sandbox(self, files: Files, *, node: bool = False) -> AsyncGenerator[Sandbox]:
        [sandbox] = await self.backend.spawn(await self.base(files, node=node), 1, owner="test")
        assert not isinstance(sandbox, SandboxError), sandbox
        try:
            yield sandbox
        finally:
            await sandbox.destroy()

    def patch(self, base: Files, change: Files) -> str:
        """What git makes of this change."""
        work = self.folder / "work"
        work.mkdir()
        self._git(work, "init", "-q")
        self._fill(work, base)
        self._git(work, "add", "-Af")
        self._git(work, "commit", "-qm", "base", "--allow-empty")
        self._fill(work, change)
        self._git(work, "add", "-Af")
        made = self._git(work, "diff", "--cached", "--binary", "--full-index", "--no-renames")
        subprocess.run(["rm", "-rf", str(work)], check=True)
        return made.decode("utf-8", "surrogateescape")

    def _fill(self, folder: Path, files: Files) -> None:
        for name, text in files.items():
            path = folder / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content(text))

    def _git(self, folder: Path, *arguments: str) -> bytes:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        done = subprocess.run(command, cwd=folder, env=_GIT_ENV, capture_output=True, check=True)
        return done.stdout


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncGenerator[Ground]:
    backend = BubblewrapBackend(tmp_path / "home")
    try:
        yield Ground(tmp_path, backend, bare_env())
        assert await backend.list() == [], "a sandbox was left behind"
    finally:
        await backend.close()
