"""The question before money is spent, on a real terminal."""

import os
import pty
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.support.arena import migrate
from tests.support.forge.repositories import Repository
from tests.support.servers.openai_server import OpenAIServer, always, refuses
from tests.support.servers.preforked import YUDAI, Warm, run_warm

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n"
    "        pass\n",
}


class Asked:
    """`yudai solve` with a priced model, at its question; by default no endpoint answers."""

    def __init__(self, place: Path, url: str = "http://127.0.0.1:9/v1") -> None:
        self._home = str(place / "h")
        migrate(place / "h")
        self.terminal, slave = pty.openpty()
        self.process = Warm(
            [str(YUDAI), "solve", str(place / "folder"), "--text", "add subtracts",
             "--model", "some/model", "--price", "some/model=1,2",
             "--base-url", url],
            env={"PATH": os.environ["PATH"], "HOME": str(place), "YUDAI_HOME": self._home},
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        os.close(slave)
        assert self.process.stderr is not None
        said = b""
        while b"Start?" not in said:
            chunk = os.read(self.process.stderr.fileno(), 4096)
            assert chunk, said.decode()
            said += chunk

    def end(self) -> int:
        self.process.communicate(timeout=30)
        return self.process.returncode

    def solves(self) -> str:
        home = {"PATH": os.environ["PATH"], "YUDAI_HOME": self._home}
        done = run_warm([str(YUDAI), "list", "--json"], env=home, text=True, timeout=60)
        assert done.returncode == 0
        return done.stdout


@contextmanager
def asking(place: Path, *url: str) -> Generator[Asked]:
    asked = Asked(place, *url)
    try:
        yield asked
    finally:
        asked.process.kill()
        asked.process.communicate()
        os.close(asked.terminal)


def make(place: Path) -> Path:
    Repository.create(place / "folder", FILES)
    return place


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where nobody ever says yes: a no leaves nothing that the next one could find."""
    return make(tmp_path_factory.mktemp("refusing"))


@pytest.fixture
def asked(refusing: Path) -> Iterator[Asked]:
    with asking(refusing) as asked:
        yield asked


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_is_an_answer(asked: Asked, number: signal.Signals, code: int):
    asked.process.send_signal(number)
    assert asked.end() == code
    assert asked.solves().strip() == "[]"


@pytest.mark.parametrize("answer", [b"n\n", b"what?\n", b"\x04"])
def test_anything_but_yes_is_no(asked: Asked, answer: bytes):
    os.write(asked.terminal, answer)
    assert asked.end() == 130
    assert asked.solves().strip() == "[]"


def test_enter_is_yes(tmp_path: Path):
    # Nobody is asked again after a refusal; a dead address is tried for half a minute.
    with OpenAIServer(always(refuses(400))) as server, asking(make(tmp_path), server.url) as asked:
        os.write(asked.terminal, b"\n")
        assert asked.end() == 2
        assert '"completed"' in asked.solves()
