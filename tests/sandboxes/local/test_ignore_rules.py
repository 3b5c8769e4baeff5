"""Which new files are nobody's edit: the same as git says."""

import subprocess
from pathlib import Path

import pytest

from yudai.sandboxes.backends.workspace.manifest import Ignoring

FILES = {
    "": "*.log\n/only-here\nbuild/\n!keep.log\n# comment\n\\#hash\na/**/z\n",
    "src/": "!special.log\nlocal\n*.tmp\n",
    "src/deep/": "!a.tmp\n",
}
PATHS = [
    *("x.log", "src/x.log", "src/special.log", "special.log", "keep.log", "src/keep.log"),
    *("only-here", "src/only-here", "build/", "src/build/", "build", "local", "src/local"),
    *("src/a.tmp", "src/deep/a.tmp", "src/deep/b.tmp", "#hash", "a/z", "a/b/c/z", "a/b/y", "plain"),
]


def says_git(folder: Path, path: str) -> bool:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith("/"):
        target.mkdir(exist_ok=True)
    done = subprocess.run(
        ["git", "check-ignore", "-q", "--no-index", path.rstrip("/")], cwd=folder, check=False
    )
    return done.returncode == 0


@pytest.mark.parametrize("path", PATHS)
def test_it_decides_as_git_does(tmp_path: Path, path: str):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for place, text in FILES.items():
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / ".gitignore").write_text(text)

    assert Ignoring(FILES).covers(path) is says_git(tmp_path, path)


def test_caches_are_covered_without_being_named():
    covers = Ignoring({}).covers

    assert all(map(covers, ["__pycache__/", "a/x.pyc", "node_modules/", ".coverage", "b.swp"]))
    assert not any(map(covers, ["pycache/", "x.py", "modules/", "coverage", "build/", "dist/"]))


def test_a_repository_can_keep_what_is_covered_by_default():
    assert not Ignoring({"": "!node_modules/\n"}).covers("node_modules/")


def test_hostile_patterns_and_names_take_no_time():
    ignoring = Ignoring({"": f"{'a*' * 40}b\n!\n[\n\\\n/\n" + "**/" * 30 + "x\n*.log"})

    assert not ignoring.covers("a" * 400)
    assert not ignoring.covers("a/" * 2000)
    assert ignoring.covers("x.log")
