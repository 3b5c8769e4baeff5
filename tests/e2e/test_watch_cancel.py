"""A second terminal: watching, leaving, ending a solve that another process runs."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import small
from tests.e2e.support.arena import Arena, migrate
from tests.e2e.support.leftovers import NOTHING, leftovers
from tests.e2e.support.service import slow
from tests.support.servers.preforked import YUDAI, Warm


def start(root: Path, *arguments: str) -> subprocess.Popen[str]:
    return Warm(
        [str(YUDAI), *arguments],
        cwd=root,
        env=Arena(root).variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    assert any(words in line for line in process.stderr), f"it never said {words}"


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    stdout, stderr = process.communicate(timeout=60)
    assert "Traceback" not in stderr
    return process.returncode, stdout, stderr


@pytest.fixture
def solving(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """One runs, long enough to be watched, and one waits."""
    arena = Arena(tmp_path)
    migrate(arena.home)
    small.make(tmp_path / "folder")
    words = ("--parallel", "1", "--temperature", "0", "--temperature", "0.5")
    with start(tmp_path, *small.SOLVE, slow(arena, 5, 0), *words) as process:
        wait_for(process, "run.started")
        yield process
        process.terminate()


def test_a_solve_is_cancelled_from_another_terminal(tmp_path: Path, solving: subprocess.Popen[str]):
    watcher = start(tmp_path, "watch", "--json")
    wait_for(watcher, "run.started")
    code, stdout, _ = ended(start(tmp_path, "cancel", "--json"))
    assert (code, json.loads(stdout)["solve"]["state"]) == (0, "cancelled")
    code, stdout, _ = ended(solving)
    assert (code, json.loads(stdout)["solve"]["state"]) == (2, "cancelled")
    code, stdout, _ = ended(watcher)
    assert (code, json.loads(stdout)["solve"]["state"]) == (2, "cancelled")
    assert leftovers(tmp_path / "home" / "yudai") == NOTHING
    code, _, stderr = ended(start(tmp_path, "cancel"))
    assert code == 4
    assert stderr.count("\n") == 1


@pytest.mark.real
def test_who_stops_watching_stops_nothing_else(tmp_path: Path, solving: subprocess.Popen[str]):
    watcher = start(tmp_path, "watch")
    wait_for(watcher, "run.started")
    watcher.send_signal(signal.SIGINT)
    assert ended(watcher)[0] == 130
    code, stdout, _ = ended(solving)
    assert (code, json.loads(stdout)["solve"]["state"]) == (0, "awaiting_review")


def test_the_watcher_says_that_the_process_died(tmp_path: Path, solving: subprocess.Popen[str]):
    watcher = start(tmp_path, "watch")
    wait_for(watcher, "run.started")
    solving.kill()
    code, _, stderr = ended(watcher)
    assert code == 1
    assert "died" in stderr
    assert ended(start(tmp_path, "cancel"))[0] == 0
    found = json.loads(ended(start(tmp_path, "show", "--json"))[1])
    assert found["solve"]["state"] == "cancelled"
