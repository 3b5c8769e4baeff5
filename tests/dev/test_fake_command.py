"""`yudai dev fake-github`: says what to do, keeps what was done, ends when it is told."""

import json
import os
import shlex
import signal
import stat
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.servers.preforked import YUDAI, Warm
from yudai.cli.exit_codes import REFUSED
from yudai.settings.forge import ForgeSettings
from yudai.solves.domain.slash_command import parse_command

ISSUES = "/api/v3/repos/octo/passbook/issues"


@contextmanager
def fake_github(folder: Path, *options: str) -> Generator["subprocess.Popen[str]"]:
    argv = [str(YUDAI), "dev", "fake-github", "--folder", str(folder), "--port", "0"]
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    process = Warm(
        [*argv, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env | {"YUDAI_HOME": str(folder.parent / "home")},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def first_document(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    text = ""
    while not text.endswith("\n}\n"):
        line = process.stdout.readline()
        assert line, process.communicate()
        text += line
    return json.loads(text)


def end(process: "subprocess.Popen[str]", number: int) -> int:
    process.send_signal(number)
    return process.wait(30)


def test_one_document_says_it_all_and_a_restart_goes_on(tmp_path: Path):
    folder = tmp_path / "github"
    with fake_github(folder, "--json", "--webhook", "http://127.0.0.1:8000/x") as process:
        told = first_document(process)
        assert (told["repository"], told["webhook"]) == ("octo/passbook", "http://127.0.0.1:8000/x")
        assert httpx.get(told["issue"], trust_env=False).status_code == 200
        found = httpx.get(told["url"] + ISSUES, trust_env=False).json()
        assert len(found) == 3
        bob = {"Authorization": f"Bearer {told['tokens']['bob']}"}
        said = httpx.post(
            f"{told['url']}{ISSUES}/1/comments",
            json={"body": "kept"},
            headers=bob,
            trust_env=False,
        )
        assert said.status_code == 201
        assert end(process, signal.SIGINT) == 130
        assert process.communicate()[1] == ""
    with fake_github(folder, "--json") as process:
        again = first_document(process)
        assert again["tokens"] == told["tokens"]
        assert again["webhook"] == told["webhook"]
        comments = httpx.get(f"{again['url']}{ISSUES}/1/comments", trust_env=False).json()
        assert [one["body"] for one in comments] == ["kept"]
        assert end(process, signal.SIGTERM) == 0


def test_people_see_what_to_do_next(tmp_path: Path):
    folder = tmp_path / "a folder"
    with fake_github(folder) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(9)]
        assert lines[0].startswith("A fake GitHub listens on http://127.0.0.1:")
        assert any("octo/passbook/issues/1" in line for line in lines)
        assert f"set -a; . {shlex.quote(str(folder / 'yudai.env'))}; set +a; " in lines[3]
        assert lines[3].endswith("yudai serve\n")
        for name in ("yudai.env", "app-key.pem", "state.json"):
            assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name
        shown = subprocess.run(
            ["sh", "-c", 'set -a; . "$1"; env', "sh", str(folder / "yudai.env")],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        env = dict(line.split("=", 1) for line in shown.splitlines())
        settings = ForgeSettings.model_validate(
            {name: env[name] for name in env if name.startswith("GITHUB_")}
        )
        assert settings.github_watch == ("octo/passbook",)
        assert parse_command(f"/solve #1 {settings.github_matrix}").models[0].startswith("scripted")
        assert end(process, signal.SIGINT) == 130


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--webhook", "https://example.org/hook"), "an address on this machine"),
        (("--port", "70000"), "--port"),
    ],
)
def test_what_is_refused(tmp_path: Path, options: tuple[str, ...], why: str):
    with fake_github(tmp_path / "github", *options) as process:
        assert process.wait(30) == REFUSED
        assert why in process.communicate()[1]


def test_a_folder_has_one_owner(tmp_path: Path):
    with fake_github(tmp_path / "github", "--json") as first:
        first_document(first)
        with fake_github(tmp_path / "github") as second:
            assert second.wait(30) == REFUSED
            assert "is used by another fake GitHub" in second.communicate()[1]
