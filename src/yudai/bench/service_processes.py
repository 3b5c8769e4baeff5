"""Runs the whole service in separate processes, with a repository and scripted contestants."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from yudai.settings import surroundings

_PROGRAM = "from yudai.cli.main import main; main()"
_PATIENCE_S = 120.0
_FILES = {
    "doubling.py": "def double(x):\n    return x + x if x else 1\n",
    "tests/__init__.py": "",
    "tests/test_doubling.py": "import unittest\n\nfrom doubling import double\n\n\n"
    "class Doubling(unittest.TestCase):\n    def test_double(self):\n"
    "        self.assertEqual(double(2), 4)\n",
}
_GIT = ("git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
_LIMITS = {
    "MODEL_MAX_PARALLEL": "0",
    "SOLVER_ARENA_MAX_RUNS": "1000",
    "SOLVER_MAX_RUNS": "1000",
}


@dataclass(frozen=True)
class ServiceProcess:
    process: asyncio.subprocess.Process
    said: dict[str, Any]

    @property
    def pid(self) -> int:
        return self.process.pid

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


@dataclass(frozen=True)
class ServiceProcesses:
    """A service with its own home; with a PostgreSQL URL, API and workers are separate."""

    root: Path
    database_url: str | None = None
    worker_max_runs: int = 1000

    @property
    def repository(self) -> Path:
        return self.root / "repository"

    @property
    def database(self) -> Path:
        """Its file, without a PostgreSQL URL."""
        return self.root / "home" / "yudai.db"

    def set_up(self, *, steps: int, delay_s: float) -> str:
        """Write the repository and a contestant of so many steps; return the model's name."""
        for path, text in _FILES.items():
            file = self.repository / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "Begin")):
            subprocess.run([*_GIT, *words], cwd=self.repository, check=True)  # noqa: S603 - ours
        commands = ["sed -i 's/ if x else 1//' doubling.py", *["seq 1000 1818"] * (steps - 2)]
        replies = [{"run": command, "delay_s": delay_s} for command in commands]
        finish = {"finish": True, "delay_s": delay_s}
        (self.root / "slow.json").write_text(json.dumps({"replies": [*replies, finish]}))
        return "scripted/slow"

    @asynccontextmanager
    async def opened(
        self, workers: int = 1
    ) -> AsyncGenerator[tuple[ServiceProcess, list[ServiceProcess]]]:
        """The server and its workers; in one process they are the same."""
        async with AsyncExitStack() as stack:
            if self.database_url is None:
                server = await stack.enter_async_context(self.started("serve", "--port=0"))
                yield server, [server]
                return
            api = self.started("serve", "--port=0", "--no-worker")
            server = await stack.enter_async_context(api)
            yield (
                server,
                [await stack.enter_async_context(self.started("worker")) for _ in range(workers)],
            )

    @asynccontextmanager
    async def started(self, *words: str) -> AsyncGenerator[ServiceProcess]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _PROGRAM, *words, "--json"),
            cwd=self.root,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield ServiceProcess(process, await _first_words(process))
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()

    def _environment(self) -> dict[str, str]:
        place = {"YUDAI_HOME": str(self.root / "home"), **_LIMITS}
        place["WORKER_MAX_RUNS"] = str(self.worker_max_runs)
        if self.database_url is None:
            place["DATABASE_URL"] = f"sqlite:///{self.database}"
        else:
            place["DATABASE_URL"] = self.database_url
        return surroundings() | place

    def ask(self, model: str, contestants: int) -> dict[str, Any]:
        """Request body for so many concurrent runs."""
        return {
            "repo_path": str(self.repository),
            "issue_text": "double(0) is 1",
            "matrix": {
                "models": [model],
                "temperatures": [number / 100 for number in range(contestants)],
                "strategies": ["balanced"],
            },
            "limits": {"max_parallel": contestants},
        }


def client_of(server: ServiceProcess) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.said["url"], timeout=_PATIENCE_S)


async def get(client: httpx.AsyncClient, path: str) -> dict[str, Any]:
    return (await client.get(path)).raise_for_status().json()


async def open_solve(client: httpx.AsyncClient, body: dict[str, Any]) -> str:
    return (await client.post("/api/solves", json=body)).raise_for_status().json()["id"]


async def cancel_solve(client: httpx.AsyncClient, solve_id: str) -> None:
    """Cancel a solve unless it has ended."""
    await client.post(f"/api/solves/{solve_id}/cancel")


async def _first_words(process: asyncio.subprocess.Process) -> dict[str, Any]:
    async with asyncio.timeout(_PATIENCE_S):
        line = await process.stdout.readline() if process.stdout else b""
    if not line:
        raise RuntimeError(f"a process ended with {await process.wait()} before it was ready")
    return json.loads(line)
