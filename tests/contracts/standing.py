"""One backend of each kind for all tests, and boxes of remote ones that stand from test to test.

A machine takes long to start: what a test has done to the disk of one is undone instead.
"""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from clouds.vm import copy_disk
from contracts.backends import BACKENDS, CLOUDS, REMOTE
from yudai.adapters.sandboxes.removal import remove_tree
from yudai.domain.errors import SandboxError
from yudai.ports.sandbox import Backend, BaseRef, BaseSpec, Sandbox, SandboxLimits

_INSTALLATION = "local"
# Nobody says that it is needed while no test of these runs.
_IDLE_S = 240.0


async def spawn_one(backend: Backend, base: BaseRef) -> Sandbox:
    [box] = await backend.spawn(base, 1, owner="test")
    assert not isinstance(box, SandboxError), box
    return box


class Disk:
    """Folders of a machine, and what was in them."""

    def __init__(self, folders: Sequence[Path], kept: Path) -> None:
        self._kept = {folder: kept / str(number) for number, folder in enumerate(folders)}
        for folder, copy in self._kept.items():
            copy_disk(folder, copy)

    def restore(self) -> None:
        for folder, copy in self._kept.items():
            folder.chmod(0o700)
            # The folder itself may be mounted.
            for entry in list(os.scandir(folder)):
                path = Path(entry.path)
                remove_tree(path) if entry.is_dir(follow_symlinks=False) else path.unlink()
            subprocess.run(["cp", "-a", "--reflink=auto", "--", f"{copy}/.", folder], check=True)


class _Standing(NamedTuple):
    box: Sandbox
    disk: Disk
    failures: int
    used_at: float


class House:
    """One backend, and those of its boxes that stay."""

    def __init__(self, name: str, home: Path, spec: BaseSpec, limits: SandboxLimits) -> None:
        self._name = name
        self._home = home
        self._spec = spec
        self._standing: dict[str, _Standing] = {}
        self.backend = BACKENDS[name](home, limits=limits, installation=_INSTALLATION)

    @property
    def is_remote(self) -> bool:
        return self._name in REMOTE

    async def open(self) -> None:
        await self.backend.prepare(self._spec)

    async def box(self, role: str, *, failures: int) -> Sandbox:
        """As new; after a failure it is a new one."""
        standing = self._standing.pop(role, None)
        if standing is not None:
            is_fit = standing.failures == failures
            if is_fit and time.monotonic() - standing.used_at < _IDLE_S:
                standing.disk.restore()
                self._standing[role] = standing._replace(used_at=time.monotonic())
                return standing.box
            await standing.box.destroy()
        box = await spawn_one(self.backend, BaseRef(key=self._spec.key))
        if self.is_remote and (folders := self._folders(box)):
            disk = Disk(folders, self._home / "kept" / box.ref.id)
            self._standing[role] = _Standing(box, disk, failures, time.monotonic())
        return box

    async def tidy(self) -> None:
        staying = {standing.box.ref.id for standing in self._standing.values()}
        for ref in await self.backend.list():
            if ref.id not in staying:
                await self.backend.destroy(ref)

    def _folders(self, box: Sandbox) -> list[Path]:
        desk = CLOUDS.desk(self._name, self._home, _INSTALLATION)
        return CLOUDS.writable(self._name, desk.boxes[box.ref.id].entry.external)
