"""Which folders of the host a box gets to see for its Python: no more than that."""

import os
import sys
from pathlib import Path

import pytest

from yudai.adapters.sandboxes import toolchain
from yudai.domain.errors import RefusedError


def installation(root: Path) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "lib/python3.11").mkdir(parents=True)
    (root / "bin/python3.11").touch()
    (root / "bin/python3").symlink_to("python3.11")
    return root


def environment(root: Path, target: Path, *, home: Path | None = None) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "bin/python").symlink_to(target)
    (root / "pyvenv.cfg").write_text(f"home = {home or target.parent}\nversion = 3.11\n")
    return root


def test_an_environment_and_the_interpreter_behind_it(tmp_path: Path):
    real = installation(tmp_path / "versions/3.11.7")
    env = environment(tmp_path / "venv", real / "bin/python3")

    found = toolchain.find(env)

    assert found == (env, ((real, real),), (), (env / "bin",))


def test_an_interpreter_that_goes_by_two_names(tmp_path: Path):
    real = installation(tmp_path / "cpython-3.11.7")
    alias = tmp_path / "cpython-3.11"
    alias.symlink_to(real)
    env = environment(tmp_path / "venv", alias / "bin/python3.11")

    assert set(toolchain.find(env).binds) == {(real, real), (real, alias)}


def test_a_link_on_the_way_is_made_again_and_its_folder_not_shown(tmp_path: Path):
    """Else a `~/bin/python` would show the whole home."""
    real = installation(tmp_path / "versions/3.11.7")
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / ".ssh").mkdir()
    (home / "bin/python").symlink_to(real / "bin/python3.11")
    env = environment(tmp_path / "venv", home / "bin/python", home=real / "bin")

    found = toolchain.find(env)

    assert found.binds == ((real, real),)
    assert found.links == ((real / "bin/python3.11", home / "bin/python"),)


def test_the_systems_interpreter_needs_nothing_more(tmp_path: Path):
    env = environment(tmp_path / "venv", Path("/usr/bin/python3"))

    assert toolchain.find(env).binds == ()


@pytest.mark.parametrize("make", ["empty", "home", "missing"])
def test_what_is_no_environment_is_refused(tmp_path: Path, make: str):
    root = tmp_path / "root"
    if make == "home":
        (root / "bin").mkdir(parents=True)
        (root / "bin/python").symlink_to(sys.executable)
    elif make == "empty":
        root.mkdir()

    with pytest.raises(RefusedError, match="not a Python environment"):
        toolchain.find(root)


def test_an_interpreter_that_lies_in_no_installation_is_refused(tmp_path: Path):
    (tmp_path / "home/bin").mkdir(parents=True)
    (tmp_path / "home/bin/python").touch()
    env = environment(tmp_path / "venv", tmp_path / "home/bin/python")

    with pytest.raises(RefusedError, match="not a Python installation"):
        toolchain.find(env)


def test_without_an_environment_our_own_interpreter_is_used():
    found = toolchain.find(None)

    prefix = Path(sys.base_prefix).resolve()
    outside = not str(prefix).startswith("/usr")
    assert found.env is None
    assert found.binds == (((prefix, prefix),) if outside else ())
    assert os.pathsep not in str(found.path)
