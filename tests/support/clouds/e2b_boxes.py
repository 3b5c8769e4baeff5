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
class Box:
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


class Boxes:
    def __init__(self, folder: Path, env: Path | None) -> None:
        self._folder = folder
        self._env = env
        self._numbers = count(1)
        self.all: dict[str, Box] = {}
        self.snapshots: dict[str, Path] = {}
        self.snapshot_of: dict[str, str] = {}
        self.builds: dict[str, Build] = {}
        self.templates = {"base", "yudai"}
        self.clock_offset_s = 0.0
        self.memory_bytes: int | None = None
        """Of each sandbox, as its template says; None: all that the host has."""

    def add(self, template: str, metadata: Mapping[str, str], ttl_s: float, **more: Any) -> Box:
        number = f"ibox{next(self._numbers)}x{secrets.token_hex(4)}"
        box = Box(number, template, dict(metadata), self._folder / number, network={}, **more)
        box.ends = box.started + ttl_s
        self.all[number] = box
        return box

    def boot(self, box: Box) -> None:
        """Blocks; what is not there any more when it is up is ended again."""
        snapshot = self.snapshots.get(box.template)
        if snapshot and not box.folder.exists():
            copy_disk(snapshot, box.folder)
        vm = VM.start(box.folder, env=self._env, memory_bytes=self.memory_bytes)
        if box.id in self.all:
            box.vm = vm
        else:
            vm.kill()

    def end(self, box: Box) -> None:
        """Blocks; from any thread, any number of times."""
        self.all.pop(box.id, None)
        if box.vm is not None:
            box.vm.kill()
        remove_tree(box.folder)

    def keep(self, box: Box, name: str) -> str:
        """Blocks."""
        snapshot = name or secrets.token_hex(8)
        folder = self._folder / f"snapshot-{secrets.token_hex(8)}"
        copy_disk(box.folder, folder)
        old = self.snapshots.get(snapshot)
        self.snapshots[snapshot], self.snapshot_of[snapshot] = folder, box.id
        if old is not None:
            remove_tree(old)
        return snapshot

    def drop(self, snapshot: str) -> bool:
        folder = self.snapshots.pop(snapshot, None)
        if folder is not None:
            remove_tree(folder)
        return folder is not None

    def close(self) -> None:
        for box in list(self.all.values()):
            self.end(box)
        for snapshot in list(self.snapshots):
            self.drop(snapshot)
        shutil.rmtree(self._folder, ignore_errors=True)

    def iso(self, moment: float) -> str:
        return datetime.fromtimestamp(moment + self.clock_offset_s, UTC).isoformat()

    def brief(self, box: Box) -> dict[str, Any]:
        return {
            "templateID": box.template,
            "sandboxID": box.id,
            "clientID": "client",
            "envdVersion": "0.6.8",
            "envdAccessToken": box.token,
            "domain": None,
        }

    def detail(self, box: Box) -> dict[str, Any]:
        return {
            **self.brief(box),
            "startedAt": self.iso(box.started),
            "endAt": self.iso(box.ends),
            "cpuCount": 2,
            "memoryMB": 4096,
            "diskSizeMB": 8192,
            "state": box.state,
            "metadata": box.metadata,
        }
