"""`yudai demo` as a process of its own, and one that goes on with its page."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.servers.preforked import YUDAI, Warm, run_warm

PATIENCE_S = 110


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "YUDAI_HOME": str(home / "yudai")}


def yudai(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_warm([str(YUDAI), *arguments], env=environment(home), text=True, timeout=PATIENCE_S)


class Demo:
    """A demo that goes on; its first line says where."""

    def __init__(self, process: subprocess.Popen[str], said: Path) -> None:
        self.process = process
        self.said = said
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(
            r"Watch it live: (http://127\.0\.0\.1:\d+)/solves/([0-9a-f-]+)\n", line
        )
        assert found, line + said.read_text()
        self.url, self.solve_id = found.groups()
        self.http = httpx.Client(base_url=self.url, trust_env=False, timeout=30)

    def solve(self) -> dict[str, Any]:
        return self.http.get(f"/api/solves/{self.solve_id}").json()["solve"]

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.said.read_text():
            assert self.process.poll() is None, self.said.read_text()
            assert time.monotonic() < deadline, self.said.read_text()
            time.sleep(0.05)

    def interrupt(self) -> tuple[int, str]:
        """Its exit code, and what it has printed."""
        self.process.send_signal(signal.SIGINT)
        stdout, _ = self.process.communicate(timeout=PATIENCE_S)
        assert "Traceback" not in self.said.read_text()
        return self.process.returncode, stdout


@contextmanager
def started(home: Path, *, within: Sequence[str] = (), warm: bool = True) -> Generator[Demo]:
    """`within` is a command that starts it; if not warm, Python does, with our environment."""
    said = home / f"said-{time.monotonic_ns()}"
    with said.open("w") as stderr:
        begin = Warm if warm and not within else subprocess.Popen
        process = begin(
            [*within, str(YUDAI), "demo"],
            env=environment(home) | {"PORT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    with process:
        try:
            demo = Demo(process, said)
            with demo.http:
                yield demo
        finally:
            process.kill()
