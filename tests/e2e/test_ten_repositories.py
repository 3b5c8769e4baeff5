"""The generated repositories are what they claim to be, on the host and without Yudai."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import ten_repositories
from tests.e2e.support.brains import RIGHT, WRONG, Players
from tests.e2e.support.packages import tarballs, wheels
from tests.e2e.support.registries import Places, Registries
from tests.e2e.support.ten_repositories import REPOSITORIES, create, git
from tests.e2e.support.workbench import Workbench
from tests.support.servers.openai_server import Body

each = pytest.mark.parametrize("name", REPOSITORIES)


@pytest.fixture(scope="module")
def places() -> Iterator[Places]:
    with Registries() as registries:
        yield registries.places


@each
@pytest.mark.real_except("python-src-uv", "node-workspaces")
def test_what_the_two_answers_are_worth(name: str, tmp_path: Path, places: Places):
    repository = REPOSITORIES[name]
    right, wrong = repository.right, repository.wrong
    create(repository, tmp_path / name, places)
    bench = Workbench(repository, tmp_path / name, places)
    bench.install()
    assert git(tmp_path / name, "status", "--porcelain") == ""
    base = bench.test()
    assert (base.returncode == 0) is not bool(repository.failing), base.stdout

    for answer in (right, wrong):
        bench.write_test(answer)
        assert not bench.passes(answer)
        bench.take_back(answer)
    for answer in (right, wrong):
        bench.change(answer)
        bench.write_test(answer)
        assert bench.passes(answer) is (answer is right or repository.is_provable)
        assert (bench.test().returncode == base.returncode) is (
            answer is right or repository.is_provable
        )
        if answer is wrong:
            bench.write_test(right)
            assert not bench.passes(right)
        bench.take_back(answer)
        bench.take_back(right)
    assert git(tmp_path / name, "status", "--porcelain") == ""


@each
def test_a_repository_is_the_same_each_time(name: str, tmp_path: Path, places: Places):
    heads = []
    for copy in ("one", "two"):
        create(REPOSITORIES[name], tmp_path / copy, places)
        heads.append(git(tmp_path / copy, "rev-parse", "HEAD"))
    assert heads[0] == heads[1]


def test_the_shapes_that_people_have(tmp_path: Path, places: Places):
    for name, repository in REPOSITORIES.items():
        create(repository, tmp_path / name, places)
    assert len(REPOSITORIES) == 10
    assert b"\r\n" in (tmp_path / "python-flat-unittest/durations.py").read_bytes()
    assert (tmp_path / "python-no-lock/bin/show-settings").stat().st_mode & 0o111
    assert list(tmp_path.glob("*/docs/* *"))
    assert (tmp_path / "node-workspaces/packages/arguments/README.md").is_symlink()
    assert places.simple in (tmp_path / "python-src-uv/uv.lock").read_text()


def test_the_generator_is_a_script(tmp_path: Path):
    script = (sys.executable, "-m", ten_repositories.__name__)
    root = Path(__file__).parents[2]
    done = subprocess.run([*script, tmp_path], cwd=root, capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == 10
    assert {path.stem for path in tmp_path.glob("*.md")} == set(REPOSITORIES)


@pytest.mark.parametrize("name", ["python-flat-unittest", "node-workspaces", "node-own-check"])
@pytest.mark.real_except("node-workspaces")
def test_a_brain_plays_by_what_it_reads(name: str, tmp_path: Path, places: Places):
    repository = REPOSITORIES[name]
    create(repository, tmp_path / name, places)
    bench = Workbench(repository, tmp_path / name, places)
    bench.install()
    for model, answer in ((RIGHT, repository.right), (WRONG, repository.wrong)):
        play(bench, model)
        assert bench.passes(answer) is (model == RIGHT or repository.is_provable)
        bench.take_back(answer)
        assert git(tmp_path / name, "status", "--porcelain") == ""


def play(bench: Workbench, model: str) -> None:
    repository = bench.repository
    players = Players(REPOSITORIES)
    finish = f"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT_{'0' * 16}"
    command = f"cd {repository.folder or '.'} && {shlex.join(repository.test_command)}"
    told = f"<title>{repository.title}</title> tests are run with: `{command}` end with {finish}"
    body: Body = {"model": model, "messages": [{"role": "user", "content": told}]}
    for _ in range(4):
        body["messages"] += play_turn(bench, players(body))
    assert body["messages"][-1]["content"] == json.dumps({"returncode": 0, "output": ""})
    assert "<plan>" in body["messages"][1]["content"]
    assert players.surprises == []


def play_turn(bench: Workbench, completion: object) -> list[Body]:
    """The reply and what its commands gave, as the next request will tell it."""
    assert isinstance(completion, dict)
    message = completion["choices"][0]["message"]
    turn: list[Body] = [message]
    for call in message["tool_calls"]:
        command = json.loads(call["function"]["arguments"])["command"]
        done = bench.run("sh", "-c", command, at_root=True)
        is_finish = command.startswith("echo COMPLETE")
        seen = {"returncode": done.returncode, "output": "" if is_finish else done.stdout}
        turn.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(seen)})
    return turn


def test_archives_are_the_same_each_time():
    first = [(wheel.filename, wheel.sha256) for wheel in wheels()]
    first += [(tarball.filename, tarball.integrity) for tarball in tarballs()]
    for cached in (wheels, tarballs):
        cached.cache_clear()
    second = [(wheel.filename, wheel.sha256) for wheel in wheels()]
    assert first == second + [(tarball.filename, tarball.integrity) for tarball in tarballs()]
