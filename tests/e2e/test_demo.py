"""The demo as a person starts it: a process of its own, its output, its end."""

import asyncio
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from leftovers import NOTHING, leftovers

from warm import YUDAI, Warm, run_warm
from yudai.settings import Settings
from yudai.wiring import open_app, scripted_gateway

shared = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "YUDAI_HOME": str(home / "yudai")}


def yudai(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_warm([str(YUDAI), *arguments], env=environment(home), text=True, timeout=110)


@pytest.fixture(scope="module")
def finished(home: Path) -> subprocess.CompletedProcess[str]:
    return yudai(home, "demo", "--exit", "--json")


@pytest.fixture(scope="module")
def document(finished: subprocess.CompletedProcess[str]) -> dict:
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


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
def test_nothing_but_the_document_is_on_standard_output(
    finished: subprocess.CompletedProcess[str], document: dict
):
    assert json.loads(finished.stdout) == document
    assert "run.started" in finished.stderr
    assert "baseline.measured" in finished.stderr


@shared
def test_nothing_is_left_after_a_run(home: Path, document: dict):
    assert leftovers(home / "yudai") == NOTHING


@shared
def test_show_and_list_find_it_again(home: Path, document: dict):
    solve = document["solve"]["id"]
    assert json.loads(yudai(home, "show", "--json").stdout) == document
    assert json.loads(yudai(home, "show", solve[-6:], "--json").stdout) == document
    assert solve[-8:] in yudai(home, "list").stdout
    text = yudai(home, "show", solve).stdout
    assert all(place["handle"] in text for place in document["ranking"])


@shared
def test_a_reader_that_leaves_early_and_one_that_knows_only_ascii(home: Path, document: dict):
    show = [str(YUDAI), "show"]
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


def test_the_plain_output_shows_scorecard_patch_and_reasons(tmp_path: Path):
    # By Python itself, and with its own environment.
    result = subprocess.run(
        [str(YUDAI), "demo", "--exit"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stderr
    assert re.search("1 +★ +surgeon-t0.2-e6-test-first ", result.stdout)
    for words in (
        "diff --git",
        "Red on base, green with this patch",
        "Why",
        "wanderer",
    ):
        assert words in result.stdout


def interrupted(home: Path, moment: str, *signals: signal.Signals) -> int:
    """Start a demo, send it signals at that moment, and return its exit code."""
    process = Warm(
        [str(YUDAI), "demo", "--exit", "--json"],
        env=environment(home),
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


@pytest.mark.parametrize(
    ("moment", "signals", "code"),
    [
        ("solve.opened", [signal.SIGINT], 130),
        ("run.started", [signal.SIGINT, signal.SIGINT, signal.SIGINT], 130),
        ("run.submitted", [signal.SIGTERM], 143),
        ("run.judged", [signal.SIGHUP, signal.SIGINT], 129),
        ("run.broke", [signal.SIGINT], 130),
    ],
)
def test_ctrl_c_at_any_moment(
    tmp_path: Path, moment: str, signals: list[signal.Signals], code: int
):
    assert interrupted(tmp_path, moment, *signals) == code
    assert leftovers(tmp_path / "yudai") == NOTHING
    saved = json.loads(yudai(tmp_path, "show", "--json").stdout)
    assert saved["solve"]["state"] == "cancelled"
    assert {place["state"] for place in saved["ranking"]} <= {"cancelled", "completed", "failed"}


def test_nobody_watching_does_not_end_the_race(tmp_path: Path):
    reading, writing = os.pipe()
    process = Warm(
        [str(YUDAI), "demo", "--exit", "--json"],
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
        [str(YUDAI), "demo", "--exit"],
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
    assert left.boxes
    assert left.mounts == NOTHING.mounts
    asyncio.run(open_once(tmp_path / "yudai"))
    assert leftovers(tmp_path / "yudai") == NOTHING


async def open_once(home: Path) -> None:
    async with open_app(Settings.at(home), gateway=scripted_gateway()):
        pass


def test_without_isolation_only_when_asked_for(tmp_path: Path):
    result = yudai(tmp_path, "demo", "--exit", "--json", "--sandbox", "process")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["ranking"][0]["handle"].startswith("surgeon-")
    assert leftovers(tmp_path / "yudai") == NOTHING


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
