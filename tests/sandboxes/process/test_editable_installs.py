"""Editable installs that follow a sandbox's workspace, run by a real interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

from yudai.sandboxes.backends.process.backend import VARIABLE, follow_workspace


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "env/lib/python3.11/site-packages"
    folder.mkdir(parents=True)
    return folder


def follow(tmp_path: Path, site: Path, program: str, *, workspace: Path | None) -> str:
    """What a program says that has read the site's `.pth` files."""
    head = f"import sys, site; sys.path.insert(0, {str(site)!r}); site.addsitedir({str(site)!r}); "
    env = {} if workspace is None else {VARIABLE: str(workspace)}
    command = [sys.executable, "-S", "-c", head + program]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def test_folders_and_mappings_follow(tmp_path: Path, site: Path):
    tree, own = tmp_path / "tree", tmp_path / "own's \"box"
    quoted = f"{{'a': '{tree}/src/a', \"b\": \"{tree}\"}}"
    (site / "sample.pth").write_text(f"{tree}/src\n{tree}\n{tree}-other\n# {tree}\n")
    (site / "finder.py").write_text(f"MAPPING = {quoted}\ndef f(*a): return a\nX = f(1, '{tree}')")
    (site / "other.py").write_text("MAPPING = {}\n")

    follow_workspace(tmp_path / "env", tree)
    follow_workspace(tmp_path / "env", tree)

    for workspace in (own, None):
        root = str(workspace or tree)
        paths = f"print({root + '/src'!r} in sys.path, {root!r} in sys.path)"
        assert follow(tmp_path, site, paths, workspace=workspace) == "True True\n"
        mapping = "import finder; print(finder.MAPPING['a'], finder.MAPPING['b'], finder.X[1])"
        assert (
            follow(tmp_path, site, mapping, workspace=workspace) == f"{root}/src/a {root} {root}\n"
        )
    assert f"{tree}-other\n" in (site / "sample.pth").read_text()
    assert (site / "other.py").read_text() == "MAPPING = {}\n"


def test_an_environment_without_packages(tmp_path: Path):
    follow_workspace(tmp_path / "none", tmp_path)
