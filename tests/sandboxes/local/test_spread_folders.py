"""A folder whose folders lie apart."""

import shutil
import subprocess
from pathlib import Path

import pytest

from yudai.sandboxes.backends.local.home import Home, spread

CHATTR, LSATTR = shutil.which("chattr"), shutil.which("lsattr")


def is_spread(folder: Path) -> bool:
    said = subprocess.run(
        [LSATTR or "lsattr", "-d", folder], capture_output=True, text=True, check=True
    )
    return "T" in said.stdout.split()[0]


@pytest.fixture
def knows(tmp_path: Path) -> None:
    """Whether the file system does, by somebody else's word."""
    tried = tmp_path / "tried"
    tried.mkdir()
    if not CHATTR or not LSATTR:
        pytest.skip("needs e2fsprogs")
    if subprocess.run([CHATTR, "+T", tried], capture_output=True, check=False).returncode != 0:
        pytest.skip("this file system does not know such folders")


@pytest.mark.usefixtures("knows")
def test_its_folders_lie_apart(tmp_path: Path):
    folder = tmp_path / "folder"
    folder.mkdir()
    assert not is_spread(folder)

    spread(folder)

    assert is_spread(folder)


@pytest.mark.usefixtures("knows")
def test_sandboxes_do(tmp_path: Path):
    """They are made in their process's lease."""
    home = Home(tmp_path / "home")
    try:
        assert is_spread(home.lease())
    finally:
        home.release()


def test_a_file_system_that_does_not_know_it_is_no_error():
    spread(Path("/proc/self"))
