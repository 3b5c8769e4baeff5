"""One very small repository for everything that is not about repositories, and who answers it."""

from pathlib import Path

from tests.e2e.support.arena import Arena, Result
from tests.e2e.support.ten_repositories import commit, write
from tests.support.forge.repositories import copy_of
from tests.support.servers.openai_server import Brain, plays

ISSUE = "double(0) is 1\nIt should be 0."
# unittest: it starts ten times as fast as pytest with all the plugins of our own environment.
FILES = {
    "doubling.py": "def double(x):\n    return x + x if x else 1\n",
    "tests/__init__.py": "",
    "tests/test_doubling.py": """\
import unittest

from doubling import double


class Doubling(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(2), 4)
""",
}
TEST = """\
cat > tests/test_zero.py <<'EOF'
import unittest

from doubling import double


class Zero(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(double(0), 0)
EOF"""
FIX = "sed -i 's/ if x else 1//' doubling.py"
PLAN = "<plan>\ntest zero\nfix it\n</plan>"
FINISH = {"finish": True}
SOLVE = ("solve", "folder", "--text", ISSUE, "--json", "--model")


def make(folder: Path, **more: str | bytes) -> Path:
    """The repository, with one commit; further files by their path."""

    def begin(target: Path) -> None:
        write(target, files)
        commit(target, "Begin")

    files = {**FILES, **more}
    copy_of(("small", tuple(files.items())), begin, folder)
    return folder


def right(arena: Arena, name: str = "right", *, also: str = "true") -> str:
    """A scripted contestant that is right, and does something else besides."""
    return arena.script(name, {"say": PLAN, "run": [TEST, FIX, also]}, FINISH)


def right_brain() -> Brain:
    return plays([TEST, FIX], plan=PLAN)


def solve(arena: Arena, folder: Path, *words: str, **variables: str) -> Result:
    return arena("solve", str(folder), "--text", ISSUE, "--json", *words, **variables)
