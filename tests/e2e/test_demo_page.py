"""The demo with its page, as a person starts it: an address first, then the race, then Ctrl-C."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from leftovers import NOTHING, leftovers
from test_demo import environment, yudai

from warm import YUDAI, Warm
from yudai.api.page import CSP

PATIENCE_S = 110
NO_NAMESPACES = (
    *("unshare", "--user", "--map-root-user", "sh", "-c"),
    'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"',
    "sh",
)


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
def started(home: Path, *, within: Sequence[str] = ()) -> Generator[Demo]:
    said = home / f"said-{time.monotonic_ns()}"
    with said.open("w") as stderr:
        begin = subprocess.Popen if within else Warm
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


@pytest.mark.timeout(240)
def test_the_race_is_live_in_the_page_until_ctrl_c(tmp_path: Path):
    with started(tmp_path) as demo:
        page = demo.http.get(f"/solves/{demo.solve_id}")
        assert (page.status_code, page.headers["content-security-policy"]) == (200, CSP)
        assert demo.solve()["state"] in ("queued", "running")
        with started(tmp_path) as second:
            # The server that is here already does it.
            assert (second.url, second.solve_id != demo.solve_id) == (demo.url, True)
            assert second.interrupt()[0] == 130
        demo.http.post(f"/api/solves/{second.solve_id}/cancel").raise_for_status()
        demo.wait_for(f"The page stays at {demo.url}/solves/{demo.solve_id}")
        assert demo.solve()["state"] == "awaiting_review"
        assert demo.http.get("/").text == page.text
        code, printed = demo.interrupt()
    assert code == 0
    assert re.search("1 +★ +surgeon-t0.2-e6-test-first ", printed)
    assert "run.judged" in demo.said.read_text()
    assert leftovers(tmp_path / "yudai") == NOTHING
    assert json.loads(yudai(tmp_path, "show", demo.solve_id, "--json").stdout)["solve"]["champion"]


def test_ctrl_c_in_the_race_ends_it_for_good(tmp_path: Path):
    with started(tmp_path) as demo:
        demo.wait_for("base.prepared")
        assert demo.interrupt() == (130, "")
    assert leftovers(tmp_path / "yudai") == NOTHING
    saved = json.loads(yudai(tmp_path, "show", "--json").stdout)
    assert saved["solve"]["state"] == "cancelled"


def test_without_a_sandbox_only_the_demo_runs(tmp_path: Path):
    with started(tmp_path, within=NO_NAMESPACES) as demo:
        assert "No sandbox on this machine" in demo.said.read_text()
        ask = {"repo_path": str(tmp_path), "issue_text": "x", "matrix": {"models": ["gpt-4.1"]}}
        for path in ("/api/solves", "/solve", "/api/forecasts"):
            refused = demo.http.post(path, json=ask)
            assert (refused.status_code, refused.json()["code"]) == (422, "refused")
            assert "only the demo" in refused.json()["detail"]
        demo.wait_for("base.prepared")
        assert demo.interrupt()[0] == 130
    assert leftovers(tmp_path / "yudai") == NOTHING
