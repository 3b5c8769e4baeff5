"""What the fake E2B knows: its sandboxes, its snapshots, its templates, its clock."""

import asyncio
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.clouds.vm import VM, copy_disk
from yudai.sandboxes.backends.trees import remove_tree


@dataclass
class SandboxHandle:
    id: str
    template: str
    metadata: dict[str, str]
    folder: Path
    network: dict[str, Any]
    internet: bool | None = None
    envs: dict[str, str] = field(default_factory=dict)
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    state: str = "running"
    vm: VM | None = None
    started: float = field(default_factory=time.time)
    ends: float = 0.0
    is_ready: bool = True
    processes: dict[int, Any] = field(default_factory=dict)
    ending: asyncio.TimerHandle | None = None


@dataclass
class Build:
    template: str
    name: str
    request: dict[str, Any]
    steps: list[dict[str, Any]] = field(default_factory=list)
    image: str = ""
    is_started: bool = False


class CleanSandboxes:
    def __init__(self, folder: Path, env: Path | None) -> None:
        self._folder = folder
        self._env = env
        self._numbers = count(1)
        self.all: dict[str, SandboxHandle] = {}
        self.snapshots: dict[str, Path] = {}
        self.snapshot_of: dict[str, str] = {}
        self.builds: dict[str, Build] = {}
        self.templates = {"base", "yudai"}
        self.clock_offset_s = 0.0
        self.memory_bytes: int | None = None
        """Of each sandbox, as its template says; None: all that the host has."""

    def add(
        self, template: str, metadata: Mapping[str, str], ttl_s: float, **more: Any
    ) -> SandboxHandle:
        number = f"ibox{next(self._numbers)}x{secrets.token_hex(4)}"
        sandbox = SandboxHandle(
            number, template, dict(metadata), self._folder / number, network={}, **more
        )
        sandbox.ends = sandbox.started + ttl_s
        self.all[number] = sandbox
        return sandbox

    def boot(self, sandbox: SandboxHandle) -> None:
        """Blocks; what is not there any more when it is up is ended again."""
        snapshot = self.snapshots.get(sandbox.template)
        if snapshot and not sandbox.folder.exists():
            copy_disk(snapshot, sandbox.folder)
        vm = VM.start(sandbox.folder, env=self._env, memory_bytes=self.memory_bytes)
        if sandbox.id in self.all:
            sandbox.vm = vm
        else:
            vm.kill()

    def end(self, sandbox: SandboxHandle) -> None:
        """Blocks; from any thread, any number of times."""
        self.all.pop(sandbox.id, None)
        if sandbox.vm is not None:
            sandbox.vm.kill()
        remove_tree(sandbox.folder)

    def keep(self, sandbox: SandboxHandle, name: str) -> str:
        """Blocks."""
        snapshot = name or secrets.token_hex(8)
        folder = self._folder / f"snapshot-{secrets.token_hex(8)}"
        copy_disk(sandbox.folder, folder)
        old = self.snapshots.get(snapshot)
        self.snapshots[snapshot], self.snapshot_of[snapshot] = folder, sandbox.id
        if old is not None:
            remove_tree(old)
        return snapshot

    def drop(self, snapshot: str) -> bool:
        folder = self.snapshots.pop(snapshot, None)
        if folder is not None:
            remove_tree(folder)
        return folder is not None

    def close(self) -> None:
        for sandbox in list(self.all.values()):
            self.end(sandbox)
        for snapshot in list(self.snapshots):
            self.drop(snapshot)
        shutil.rmtree(self._folder, ignore_errors=True)

    def iso(self, moment: float) -> str:
        return datetime.fromtimestamp(moment + self.clock_offset_s, UTC).isoformat()

    def brief(self, sandbox: SandboxHandle) -> dict[str, Any]:
        return {
            "templateID": sandbox.template,
            "sandboxID": sandbox.id,
            "clientID": "client",
            "envdVersion": "0.6.8",
            "envdAccessToken": sandbox.token,
            "domain": None,
        }

    def detail(self, sandbox: SandboxHandle) -> dict[str, Any]:
        return {
            **self.brief(sandbox),
            "startedAt": self.iso(sandbox.started),
            "endAt": self.iso(sandbox.ends),
            "cpuCount": 2,
            "memoryMB": 4096,
            "diskSizeMB": 8192,
            "state": sandbox.state,
            "metadata": sandbox.metadata,
        }
