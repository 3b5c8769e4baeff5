"""Which Python is chosen: ours when it fits, another of the machine's, or a clear refusal."""

import os
import sys
from pathlib import Path

import pytest

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.toolchain.host_programs import (
    choose_python,
    own_python,
    usual_folders,
)

MAJOR, MINOR, PATCH = sys.version_info[:3]


def install(root: Path, version: str, *, says: str | None = None) -> Path:
    """Something that looks like an interpreter and knows its version; returns its `bin`."""
    name = f"python{'.'.join(version.split('.')[:2])}"
    (root / "lib" / name).mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "bin" / name).write_text(f"#!/bin/sh\necho {says or version}\n")
    (root / "bin" / name).chmod(0o755)
    return root / "bin"


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    versions = ("3.7.1", "3.7.9", "3.8.2", "3.98.0", "3.99.4")
    return [install(tmp_path / version, version) for version in versions]


@pytest.mark.parametrize(
    "asked",
    [
        f"{MAJOR}.{MINOR}",
        f"{MAJOR}",
        f"{MAJOR}.{MINOR}.{PATCH}",
        f"{MAJOR}.{MINOR}.{PATCH + 90}",
        f">={MAJOR}.{MINOR}",
        ">=3.7,<4",
        f"=={MAJOR}.{MINOR}.*",
        f"~={MAJOR}.{MINOR}",
        f" >= {MAJOR}.{MINOR} ",
    ],
)
def test_ours_is_taken_when_it_fits(folders: list[Path], asked: str):
    assert choose_python(asked, folders) == own_python()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("3.7", "3.7.9"),
        ("3.7.1", "3.7.1"),
        ("3.7.5", "3.7.9"),
        ("==3.7.1", "3.7.1"),
        ("==3.8.*", "3.8.2"),
        (">=3.98", "3.99.4"),
        (">=3.98,<3.99", "3.98.0"),
        ("<3.8", "3.7.9"),
        ("!=3.11.*,<3.9,>3.7.9", "3.8.2"),
    ],
)
def test_else_the_newest_that_fits(folders: list[Path], asked: str, expected: str):
    assert choose_python(asked, folders).parent.parent.name == expected


@pytest.mark.parametrize("asked", ["3.97", "==3.7.5", ">=4", "<3"])
def test_none_that_fits_is_refused_with_the_remedy(folders: list[Path], asked: str):
    with pytest.raises(RefusedError, match=r"not on this machine: install it, or .* --env PATH"):
        choose_python(asked, folders)


@pytest.mark.parametrize("asked", ["three", "^3.10", "pypy3.9", "3.x", ">=3.8;<4"])
def test_what_cannot_be_understood_is_refused(folders: list[Path], asked: str):
    with pytest.raises(RefusedError, match="cannot tell which Python"):
        choose_python(asked, folders)


def test_names_that_lead_to_no_interpreter_are_passed_over(tmp_path: Path):
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python3.99").write_text("#!/bin/sh\necho 3.99.0\n")
    (shims / "python3.99").chmod(0o755)
    (shims / "python3.98").symlink_to("nowhere")
    broken = [
        install(tmp_path / "says-nothing", "3.97.0", says="''"),
        install(tmp_path / "no-version", "3.96.0", says="hello"),
        install(tmp_path / "closed", "3.95.0"),
        install(tmp_path / "threads", "3.94t.0", says="3.94.0"),
    ]
    (broken[2] / "python3.95").chmod(0o644)

    for minor in range(94, 100):
        with pytest.raises(RefusedError):
            choose_python(f"3.{minor}", [shims, tmp_path / "none", *broken])


def test_a_link_is_followed_to_its_installation(tmp_path: Path):
    real = install(tmp_path / "versions/3.99.1", "3.99.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3.99").symlink_to(real / "python3.99")

    assert choose_python("3.99", [tmp_path / "bin"]) == real / "python3.99"


def test_our_own_is_no_virtual_environments():
    python = own_python()

    assert python.exists()
    assert not (python.parent.parent / "pyvenv.cfg").exists()
    assert Path("/usr/bin") in usual_folders()


def test_a_folder_that_may_not_be_read_is_passed_over(tmp_path: Path):
    """A service's home, or a PATH that came along from another user."""
    closed = install(tmp_path / "closed/3.97.0", "3.97.0")
    good = install(tmp_path / "3.98.0", "3.98.0")
    (tmp_path / "closed").chmod(0)
    try:
        if os.access(closed, os.R_OK):
            pytest.skip("nothing is unreadable to this user")
        assert choose_python(">=3.97", [closed, good]) == good / "python3.98"
    finally:
        (tmp_path / "closed").chmod(0o700)
