"""Fakes of the ports: the least that keeps their promises."""

import asyncio
import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Unpack

from yudai.gateway.domain.models import Model
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.port import (
    WORKSPACE,
    Exec,
    ExecOptions,
    ExecResult,
    SandboxRef,
    Tree,
)

_GIT_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


class FolderSandbox:
    """A folder and plain processes; no isolation at all."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        self.workspace = root / "workspace"
        self.lost = False
        self.started: list[str] = []
        self.diffing = asyncio.Event()
        self.slow_diff = False
        self.diffs = 0
        self._git_dir = root / "git"
        self._running: set[asyncio.subprocess.Process] = set()
        for name, content in files.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base")
        self._base = self._hashes()

    @property
    def ref(self) -> SandboxRef:
        return SandboxRef(backend="folder", id="1", owner="tests")

    @property
    def running(self) -> int:
        return len(self._running)

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult:
        asked = Exec(command, **options)
        self._refuse_lost()
        self.started.append(command)
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            command,
            cwd=self._inside(asked.cwd),
            env={"PATH": os.environ["PATH"], **(asked.env or {})},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self._running.add(process)
        read = asyncio.ensure_future(process.communicate(asked.stdin))
        try:
            done, _ = await asyncio.wait([read], timeout=asked.timeout_s)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            output, _ = await read
            self._running.discard(process)
        self._refuse_lost()
        return ExecResult(
            exit_code=process.returncode or 0,
            output=output[: asked.max_output],
            truncated=len(output) > asked.max_output,
            timed_out=not done,
        )

    async def read(self, path: str, *, max_bytes: int = 64 << 20) -> bytes:
        return self._inside(path).read_bytes()[:max_bytes]

    async def write(self, path: str, content: bytes) -> None:
        self._inside(path).write_bytes(content)

    async def tree(self) -> Tree:
        self._refuse_lost()
        now = self._hashes()
        changed = {p for p in now.keys() | self._base.keys() if now.get(p) != self._base.get(p)}
        if not changed:
            return Tree("", ())
        facts = repr(sorted((path, now.get(path)) for path in changed))
        return Tree(hashlib.sha256(facts.encode()).hexdigest(), tuple(sorted(changed)))

    async def diff(self) -> str:
        self._refuse_lost()
        self.diffing.set()
        self.diffs += 1
        if self.slow_diff:
            await asyncio.sleep(60)
        self._git("add", "-A")
        return self._git("diff", "--cached", "--binary", "--full-index", "--no-renames")

    async def health(self) -> bool:
        return not self.lost

    async def extend(self, seconds: float) -> None:
        pass

    async def destroy(self) -> None:
        shutil.rmtree(self.workspace.parent)

    def _inside(self, path: str) -> Path:
        return self.workspace / Path(path).relative_to(WORKSPACE)

    def _refuse_lost(self) -> None:
        if self.lost:
            raise SandboxError("the sandbox is gone", cause=Cause.SANDBOX_LOST)

    def _hashes(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.workspace)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.workspace.rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }

    def _git(self, *arguments: str) -> str:
        command = ["git", f"--git-dir={self._git_dir}", f"--work-tree={self.workspace}", *arguments]
        done = subprocess.run(
            command, cwd=self.workspace, env=_GIT_ENV, capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "surrogateescape")


class AnsweringGateway:
    """Answers as the function does, and keeps what it was asked."""

    def __init__(self, answer: Callable[[Call], Completion]) -> None:
        self.calls: list[Call] = []
        self._answer = answer

    def check(self, model: Model) -> None:
        """Every model can be called."""

    async def complete(self, call: Call) -> Completion:
        self.calls.append(call)
        return self._answer(call)


class HangingGateway:
    """Never answers; knows when it is asked and when it is left."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    def check(self, model: Model) -> None:
        """Every model can be called."""

    async def complete(self, call: Call) -> Completion:
        del call
        self.asked.set()
        try:
            return await asyncio.Future[Completion]()
        finally:
            self.left.set()


class StillClock:
    """A clock that stands, and dice that always fall the same."""

    def __init__(self) -> None:
        self._ids = 0

    def now(self) -> float:
        return 1_700_000_000.0

    def new_id(self) -> str:
        self._ids += 1
        return f"00000000-0000-7000-8000-{self._ids:012x}"

    def token(self) -> str:
        return "0123456789abcdef"
