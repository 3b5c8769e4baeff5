"""The demo as a person starts it: a process of its own, its page, its output, its end.

Two whole demos: one by Python itself with our own environment and the page, and one without either.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.e2e.support import small
from tests.e2e.support.arena import Arena
from tests.e2e.support.demo_page import Demo, environment, started, yudai
from tests.e2e.support.leftovers import NOTHING, leftovers
from tests.support.servers.preforked import YUDAI, Warm
from yudai.api.page import CSP
from yudai.settings import Settings
from yudai.wiring.components import scripted_gateway
from yudai.wiring.local_app import open_app

pytestmark = pytest.mark.timeout(240)
shared = pytest.mark.xdist_group("demo")

DEMO = ("demo", "--exit", "--json")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


class WatchedDemo(NamedTuple):
    """A whole demo, with what was seen of it on the way."""

    demo: Demo
    page: httpx.Response
    early: str
    second: Demo
    second_code: int
    late: str
    front: str
    code: int
    printed: str


@pytest.fixture(scope="module")
def watched(home: Path) -> WatchedDemo:
    with started(home, warm=False) as demo:
        page, early = demo.http.get(f"/solves/{demo.solve_id}"), demo.solve()["state"]
        with started(home) as second:
            second_code, _ = second.interrupt()
        demo.http.post(f"/api/solves/{second.solve_id}/cancel").raise_for_status()
        demo.wait_for(f"The page stays at {demo.url}/solves/{demo.solve_id}")
        late, front = demo.solve()["state"], demo.http.get("/").text
        code, printed = demo.interrupt()
    return WatchedDemo(demo, page, early, second, second_code, late, front, code, printed)


@pytest.fixture(scope="module")
def document(home: Path, watched: WatchedDemo) -> dict[str, Any]:
    return json.loads(yudai(home, "show", watched.demo.solve_id, "--json").stdout)


@shared
def test_the_solve_is_live_in_the_page_until_ctrl_c(watched: WatchedDemo):
    assert watched.page.status_code == 200
    assert watched.page.headers["content-security-policy"] == CSP
    assert watched.early in ("queued", "running")
    assert watched.late == "awaiting_review"
    assert watched.front == watched.page.text
    assert watched.code == 0
    assert "run.judged" in watched.demo.said.read_text()


@shared
def test_a_second_start_has_the_server_that_is_here_do_it(watched: WatchedDemo):
    assert watched.second.url == watched.demo.url
    assert watched.second.solve_id != watched.demo.solve_id
    assert watched.second_code == 130


@shared
def test_the_plain_output_shows_scorecard_patch_and_reasons(watched: WatchedDemo):
    assert re.search("1 +★ +surgeon-t0.2-e6-test-first ", watched.printed)
    for words in (
        "diff --git",
        "Red on base, green with this patch",
        "Why",
        "wanderer",
    ):
        assert words in watched.printed


def places(document: dict) -> dict[str, dict]:
    return {place["handle"].split("-t0.2")[0]: place for place in document["ranking"]}


@shared
def test_the_document_has_the_promised_shape(document: dict):
    assert set(document) >= {"solve", "ranking", "reason"}
    solve = document["solve"]
    assert set(solve) >= {"id", "state", "repo", "issue", "cost_usd", "elapsed_s", "champion"}
    assert solve["state"] == "awaiting_review"
    for place in document["ranking"]:
        assert set(place) >= {
            "rank", "handle", "run_id", "state", "cause", "verdict", "files_changed",
            "lines_changed", "cost_usd", "latency_ms", "why",
        }  # fmt: skip
        assert set(place["verdict"]) >= {
            "status", "fixed", "broken", "flaky", "tampered", "evidence",
        }  # fmt: skip
        assert place["why"]
    assert [place["rank"] for place in document["ranking"]] == [1, 2, 3, 4, 5, 6, 7]


@shared
def test_the_small_right_fix_is_the_champion_and_proved(document: dict):
    champion = document["ranking"][0]
    assert champion["handle"].startswith("surgeon-")
    assert champion["run_id"] == document["solve"]["champion"]
    assert champion["verdict"]["status"] == "passed"
    assert champion["verdict"]["evidence"]["proved_by"]
    assert champion["files_changed"] == 1


@shared
def test_every_other_contestant_loses_for_its_own_reason(document: dict):
    by_name = places(document)
    assert by_name["architect"]["verdict"]["status"] == "passed"
    assert by_name["architect"]["files_changed"] > 1
    assert by_name["laconic"]["verdict"]["status"] == "passed"
    assert by_name["laconic"]["verdict"]["evidence"]["own_tests"] == []
    assert by_name["laconic"]["verdict"]["evidence"]["cross_passed"]
    literal = by_name["literalist"]["verdict"]
    assert literal["status"] == "failed"
    assert literal["evidence"]["cross_failed"]
    assert literal["broken"] == []
    assert by_name["tamperer"]["verdict"]["tampered"]
    assert by_name["hothead"]["verdict"]["broken"]
    assert by_name["wanderer"]["state"] == "failed"
    assert by_name["wanderer"]["cause"] == "out_of_steps"


@shared
def test_nothing_is_left_after_a_run(home: Path, document: dict):
    assert leftovers(home / "yudai") == NOTHING


@shared
def test_show_and_list_find_it_again(home: Path, document: dict):
    solve = document["solve"]["id"]
    assert json.loads(yudai(home, "show", solve[-6:], "--json").stdout) == document
    assert solve[-8:] in yudai(home, "list").stdout
    text = yudai(home, "show", solve).stdout
    assert all(place["handle"] in text for place in document["ranking"])


@shared
def test_a_reader_that_leaves_early_and_one_that_knows_only_ascii(home: Path, document: dict):
    show = [str(YUDAI), "show", document["solve"]["id"]]
    ascii_only = {**environment(home), "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run(show, env=ascii_only, capture_output=True, check=True, timeout=60)
    assert re.search(rb"1 +\? +surgeon", shown.stdout)
    reading, writing = os.pipe()
    os.close(reading)
    early = subprocess.run(
        show, env=environment(home), stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writing)
    assert (early.returncode, early.stderr) == (141, b"")


@shared
def test_show_one_run_with_its_patch_tests_and_trajectory(home: Path, document: dict):
    run = document["ranking"][0]["run_id"][-8:]
    assert yudai(home, "show", run, "--diff").stdout.startswith("diff --git ")
    assert "passed" in yudai(home, "show", run, "--log").stdout
    plan = json.loads(yudai(home, "show", run, "--plan").stdout)
    assert (len(plan["steps"]), plan["before_first_edit"]) == (3, True)
    trajectory = json.loads(yudai(home, "show", run, "--trajectory").stdout)
    assert trajectory["trajectory_format"] == "mini-swe-agent-1.1"
    assert trajectory["info"]["exit_status"] == "Submitted"
    steps = json.loads(yudai(home, "show", run, "--json").stdout)
    assert [message["seq"] for message in steps["messages"]] == [*range(len(steps["messages"]))]
    assert "<plan>" in yudai(home, "show", run).stdout


def small_demo(root: Path) -> Sequence[str]:
    """Arguments of a demo where one submits, one breaks, and none else ends on its own."""
    small.make(root / "folder")
    arena = Arena(root)
    models = [
        small.right(arena),
        arena.script("stuck", {"say": small.PLAN, "run": ["false"]}, repeat_last=True),
        arena.script("thinker", {**small.FINISH, "delay_s": 100}),
    ]
    first, *others = models
    more = (word for model in others for word in ("--model", model))
    return [*small.SOLVE, first, *more, "--max-steps", "3"]


def interrupted(root: Path, words: Sequence[str], moment: str, *signals: signal.Signals) -> int:
    """Start a demo, send it signals at that moment, and return its exit code."""
    process = Warm(
        [str(YUDAI), *words],
        cwd=root,
        env=environment(root),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert process.stderr is not None
    assert process.stdout is not None
    with process:
        for line in process.stderr:
            if moment in line:
                for number in signals:
                    process.send_signal(number)
                    time.sleep(0.05)
                break
        rest = process.stderr.read()
        assert "Traceback" not in rest
        assert "was destroyed" not in rest
        assert process.stdout.read() == ""
        return process.wait(timeout=30)


def check_cancelled(home: Path) -> None:
    assert leftovers(home / "yudai") == NOTHING
    saved = json.loads(yudai(home, "show", "--json").stdout)
    assert saved["solve"]["state"] == "cancelled"
    assert {place["state"] for place in saved["ranking"]} <= {"cancelled", "completed", "failed"}


@pytest.mark.parametrize(
    ("moment", "signals", "code"),
    [
        ("solve.opened", [signal.SIGINT], 130),
        ("run.started", [signal.SIGINT, signal.SIGINT, signal.SIGINT], 130),
    ],
)
@pytest.mark.real_on("solve.opened")
def test_ctrl_c_at_the_beginning(
    tmp_path: Path, moment: str, signals: list[signal.Signals], code: int
):
    assert interrupted(tmp_path, DEMO, moment, *signals) == code
    check_cancelled(tmp_path)


@pytest.mark.parametrize(
    ("moment", "signals", "code"),
    [
        ("run.submitted", [signal.SIGTERM], 143),
        ("run.judged", [signal.SIGHUP, signal.SIGINT], 129),
        ("run.broke", [signal.SIGINT], 130),
    ],
)
@pytest.mark.real_on("run.submitted", "run.broke")
def test_ctrl_c_later_on(tmp_path: Path, moment: str, signals: list[signal.Signals], code: int):
    assert interrupted(tmp_path, small_demo(tmp_path), moment, *signals) == code
    check_cancelled(tmp_path)


def test_a_solve_does_not_end_without_a_watcher(tmp_path: Path):
    small.make(tmp_path / "folder")
    reading, writing = os.pipe()
    process = Warm(
        [str(YUDAI), *small.SOLVE, small.right(Arena(tmp_path))],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=writing,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    stdout, _ = process.communicate(timeout=110)
    assert process.returncode == 0
    assert json.loads(stdout)["solve"]["champion"]


def test_kill_9_leaves_nothing_running_and_the_next_start_cleans_up(tmp_path: Path):
    process = Warm(
        [str(YUDAI), *small_demo(tmp_path)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert process.stderr is not None
    with process:
        for line in process.stderr:
            if "run.started" in line:
                process.kill()
                break
    left = leftovers(tmp_path / "yudai")
    assert left.sandboxes
    assert left.mounts == NOTHING.mounts
    asyncio.run(open_once(tmp_path / "yudai"))
    assert leftovers(tmp_path / "yudai") == NOTHING


async def open_once(home: Path) -> None:
    async with open_app(Settings.at(home), gateway=scripted_gateway()):
        pass


@pytest.mark.real
def test_without_isolation_only_when_asked_for(tmp_path: Path):
    result = yudai(tmp_path, *DEMO, "--sandbox", "process")
    assert result.returncode == 0, result.stderr
    # Nothing but the document is on standard output.
    document = json.loads(result.stdout)
    assert "run.started" in result.stderr
    assert "baseline.measured" in result.stderr
    assert document["ranking"][0]["handle"].startswith("surgeon-")
    assert leftovers(tmp_path / "yudai") == NOTHING
    assert json.loads(yudai(tmp_path, "show", "--json").stdout) == document


@shared
def test_doctor_says_what_holds_here(home: Path):
    result = yudai(home, "doctor", "--json")
    report = json.loads(result.stdout)
    assert (result.returncode, report["ready"]) == (0, True)
    by_name = {sandbox["name"]: sandbox for sandbox in report["sandboxes"]}
    assert by_name["bubblewrap"]["isolated"]
    assert not by_name["process"]["isolated"]
    assert {"network", "memory"} <= {g["name"] for g in by_name["bubblewrap"]["guarantees"]}
    assert "sandbox bubblewrap (default)" in yudai(home, "doctor").stdout
