"""The command line beside a server, and after the server was killed."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog

from tests.e2e.support import small
from tests.e2e.support.arena import Arena, migrate
from tests.support.forge.repositories import Repository
from tests.support.servers.preforked import YUDAI, Warm
from yudai.cli import main

# In this process, as a person types it: starting Python takes longer than all the rest.
Type = Callable[..., tuple[int, str, str]]


class Server:
    def __init__(self, arena: Arena) -> None:
        self.process = start(arena, "serve", "--port", "0", "--json")
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said, self.process.communicate()[1]
        self.url: str = json.loads(said)["url"]

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=60)
        assert "Traceback" not in said
        return self.process.returncode


def start(arena: Arena, *arguments: str) -> subprocess.Popen[str]:
    migrate(arena.home)
    return Warm(
        [str(YUDAI), *arguments],
        cwd=arena.root,
        env=arena.variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def client(arena: Arena, *arguments: str) -> Generator[subprocess.Popen[str]]:
    with start(arena, *arguments) as process:
        yield process
        process.kill()


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    assert any(words in line for line in process.stderr), f"it never said {words}"


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    (tmp_path / "home").mkdir()
    small.make(tmp_path / "folder")
    return Arena(tmp_path)


@pytest.fixture
def serve(arena: Arena) -> Iterator[Callable[[], Server]]:
    servers: list[Server] = []

    def serve() -> Server:
        servers.append(Server(arena))
        return servers[-1]

    yield serve
    for server in servers:
        server.process.kill()
        server.process.communicate()


@pytest.fixture
def server(serve: Callable[[], Server]) -> Server:
    return serve()


@pytest.fixture
def type_(arena: Arena, monkeypatch: pytest.MonkeyPatch, capfd) -> Iterator[Type]:
    monkeypatch.chdir(arena.root)

    def type_(*arguments: str, home: Path = arena.home) -> tuple[int, str, str]:
        monkeypatch.setenv("YUDAI_HOME", str(home))
        capfd.readouterr()
        code = main.run(list(arguments))
        return code, *capfd.readouterr()

    yield type_
    structlog.reset_defaults()


def read(answer: tuple[int, str, str]) -> dict[str, Any]:
    code, out, said = answer
    assert code == 0, said
    return json.loads(out)


def sleeper(arena: Arena, seconds: float) -> str:
    edits = {"say": small.PLAN, "run": [small.TEST, small.FIX]}
    return arena.script("sleeper", edits, {**small.FINISH, "delay_s": seconds})


def test_a_server_does_the_work_and_tells_everything(arena: Arena, server: Server, type_: Type):
    found = read(type_(*small.SOLVE, small.right(arena), "--branch", "mended"))
    assert found["solve"]["state"] == "completed"
    assert "if x else" not in Repository(arena.root / "folder").git("show", "mended:doubling.py")
    run_id, other = found["solve"]["champion"], arena.root / "other"
    there = ("--server", server.url)
    assert read(type_("show", "--json", *there, home=other)) == found
    for view in (("--diff",), ("--log",), ("--plan",), ("--step", "-1"), ()):
        assert type_("show", run_id, *view) == type_("show", run_id, *view, *there, home=other)
    assert type_("list", "--json") == type_("list", "--json", *there, home=other)
    assert "nothing to cancel" in type_("cancel", *there, home=other)[2]
    assert server.url in type_("serve", "--port", "0")[2]
    assert server.end(signal.SIGTERM) == 0
    assert arena.leaves_nothing()
    assert "cannot reach the server" in type_("list", *there, home=other)[2]


def test_who_stops_watching_stops_nothing_and_cancel_does(
    arena: Arena, server: Server, type_: Type
):
    with client(arena, *small.SOLVE, sleeper(arena, 60)) as process:
        wait_for(process, "run.started")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "the solve continues on the server" in " ".join(said.split())
    assert read(type_("show", "--json"))["solve"]["state"] == "running"
    there = ("--server", server.url)
    assert read(type_("cancel", "--json", *there))["solve"]["state"] == "cancelled"
    code, out, _ = type_("watch", "--json", *there)
    assert (code, json.loads(out)["solve"]["state"]) == (2, "cancelled")
    assert server.end(signal.SIGINT) == 130
    assert arena.leaves_nothing()


def test_the_client_outlives_a_server_that_is_killed(arena: Arena, serve: Callable[[], Server]):
    server = serve()
    with client(arena, *small.SOLVE, sleeper(arena, 3)) as process:
        wait_for(process, "run.started")
        os.kill(server.process.pid, signal.SIGKILL)
        wait_for(process, "cannot reach the server")
        again = serve()
        out, said = process.communicate(timeout=100)
        assert "answers again" in said
        assert (process.returncode, json.loads(out)["solve"]["state"]) == (0, "awaiting_review")
    assert again.end(signal.SIGTERM) == 0
    assert arena.leaves_nothing()
