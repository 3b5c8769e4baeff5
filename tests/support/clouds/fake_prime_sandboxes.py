"""The fake Prime's sandboxes, each with a fake VM, its checkpoints, and their faults."""

import asyncio
import itertools
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.clouds.faults import Faults
from tests.support.clouds.vm import VM, copy_disk
from yudai.sandboxes.backends.trees import remove_tree

API = "/api/v1/sandbox"
KEY = "pk-a-key-that-is-never-shown"
OVER = frozenset({"ERROR", "TERMINATED", "TIMEOUT"})
ALWAYS = 1_000_000
_numbers = itertools.count(1)


class Breakage(NamedTuple):
    """Of the next command's stream, after so many bytes of its output."""

    after_bytes: int = 0
    dies: bool = False
    """Its machine, too."""


@dataclass
class SandboxHandle:
    id: str
    request: dict[str, Any]
    folder: Path
    created_at: float
    status: str = "PENDING"
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    vm: VM | None = None
    error_type: str | None = None
    error_message: str | None = None
    image_build: str | None = None
    generation: int = 1
    applied: int = 1
    """Of its network rules; the next look applies the newest."""
    ends: list[asyncio.TimerHandle] = field(default_factory=list[asyncio.TimerHandle])
    sessions: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def labels(self) -> list[str]:
        return self.request.get("labels", [])


@dataclass
class Checkpoint:
    id: str
    sandbox: str
    folder: Path
    created_at: float
    state: str = "PENDING"


@dataclass
class FakePrime:
    folder: Path
    env: Path | None = None
    limits_memory: bool = False
    """Becomes /env of every machine."""
    url: str = ""
    ready_after_s: float | None = 0.0
    """None: never."""
    minute_s: float = 60.0
    clock_off_s: float = 0.0
    most_sandboxes: int = ALWAYS
    per_page: int = ALWAYS
    """It gives no more, whatever is asked for."""
    sandboxes: dict[str, SandboxHandle] = field(default_factory=dict[str, SandboxHandle])
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict[str, Checkpoint])
    keys: dict[str, str] = field(default_factory=dict[str, str])
    faults: Faults = field(default_factory=Faults)
    kept_as: str = "DURABLE"
    """What a pending checkpoint becomes."""
    deaf: int = 0
    """So many calls of the gateway know nothing of their machine."""
    breakages: list[Breakage] = field(default_factory=list[Breakage])
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def count(self, route: str) -> int:
        return self.faults.count(f"{route.replace(' ', ' ' + API, 1)}")

    @property
    def now(self) -> float:
        return time.time() + self.clock_off_s

    @property
    def alive(self) -> list[SandboxHandle]:
        return [sandbox for sandbox in self.sandboxes.values() if sandbox.status not in OVER]

    def add(self, labels: list[str], status: str = "RUNNING", **request: Any) -> SandboxHandle:
        """One that somebody else has made: it has no machine behind it."""
        sandbox = self._new({"name": "somebody's", "labels": labels, **request})
        sandbox.status = status
        return sandbox

    def create(self, request: dict[str, Any]) -> SandboxHandle:
        sandbox = self._new(request)
        self.keys[request["idempotency_key"]] = sandbox.id
        task = asyncio.create_task(self._boot(sandbox))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        self._end_after(sandbox, request["timeout_minutes"])
        self.is_idle_no_more(sandbox)
        return sandbox

    def end(
        self, sandbox: SandboxHandle, status: str = "TERMINATED", kind: str | None = None
    ) -> None:
        """From any thread."""
        if sandbox.status not in OVER:
            sandbox.status, sandbox.error_type = status, kind
        for timer in sandbox.ends:
            timer.cancel()
        if sandbox.vm is not None:
            sandbox.vm.kill()

    def is_idle_no_more(self, sandbox: SandboxHandle) -> None:
        for timer in sandbox.ends[1:]:
            timer.cancel()
        if minutes := sandbox.request.get("idle_timeout_minutes"):
            del sandbox.ends[1:]
            self._end_after(sandbox, minutes)

    async def checkpoint(self, sandbox: SandboxHandle) -> Checkpoint:
        name = f"ck{next(_numbers)}"
        kept = Checkpoint(name, sandbox.id, self.folder / "checkpoints" / name, self.now)
        if sandbox.vm is not None:
            await asyncio.to_thread(sandbox.vm.save, kept.folder)
        self.checkpoints[name] = kept
        return kept

    def drop(self, checkpoint: Checkpoint) -> None:
        self.checkpoints.pop(checkpoint.id, None)
        remove_tree(checkpoint.folder)

    def close(self) -> None:
        for sandbox in self.sandboxes.values():
            self.end(sandbox)

    def _new(self, request: dict[str, Any]) -> SandboxHandle:
        name = f"sb{next(_numbers)}"
        sandbox = SandboxHandle(name, request, self.folder / "boxes" / name, self.now)
        self.sandboxes[name] = sandbox
        return sandbox

    def _end_after(self, sandbox: SandboxHandle, minutes: float) -> None:
        loop = asyncio.get_running_loop()
        sandbox.ends.append(loop.call_later(minutes * self.minute_s, self.end, sandbox, "TIMEOUT"))

    async def _boot(self, sandbox: SandboxHandle) -> None:
        if self.ready_after_s is None:
            return
        await asyncio.sleep(self.ready_after_s)
        origin = self.checkpoints.get(sandbox.request.get("checkpoint_id", ""))
        if origin is not None:
            await asyncio.to_thread(copy_disk, origin.folder, sandbox.folder)
        if str(sandbox.request.get("docker_image", "")).startswith("missing/"):
            sandbox.status, sandbox.error_type = "ERROR", "IMAGE_PULL_FAILED"
            sandbox.error_message = "no such image"
            return
        await asyncio.to_thread(self._power_on, sandbox)

    def _power_on(self, sandbox: SandboxHandle) -> None:
        """In a thread, so that a machine is noted whatever becomes of the loop."""
        size = int(sandbox.request.get("memory_gb", 1)) << 30 if self.limits_memory else None
        sandbox.vm = VM.start(sandbox.folder, env=self.env, memory_bytes=size)
        if sandbox.status in OVER:
            sandbox.vm.kill()
        else:
            sandbox.status = "RUNNING"
