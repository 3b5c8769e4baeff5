"""Which folders of the host a sandbox gets to see for its Python: no more than that."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.host_programs import own_python
from yudai.sandboxes.backends.toolchain.toolchain import Chosen, Toolchain
from yudai.sandboxes.port import BaseSpec


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

    assert found == Toolchain(env, binds=((real, real),))


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


def test_a_chosen_interpreter(tmp_path: Path):
    real = installation(tmp_path / "versions/3.12.1")

    found = toolchain.find(None, Chosen(python=real / "bin/python3.11"))

    assert found == Toolchain(binds=((real, real),), path=(real / "bin",))
    with pytest.raises(RefusedError, match="not a Python installation"):
        toolchain.find(None, Chosen(python=tmp_path / "bin/python3.11"))


def test_a_systems_interpreter_gets_every_name(tmp_path: Path):
    """The system's own `python3` may be another version, and `python` may be missing."""
    python = next(Path("/usr/bin").glob("python3.*[0-9]"), None)
    if python is None:
        pytest.skip("this machine has no Python of its own")
    found = toolchain.furnish(toolchain.find(None, Chosen(python=python)), tmp_path / "store")

    assert found.binds == ()
    assert found.tools is not None
    assert {path.name for path in found.tools.iterdir()} == {"python", "python3", python.name}
    asked = [
        str(found.tools / "python"),
        "-c",
        "import sys; print(sys.executable, *sys.argv)",
        "a b",
    ]
    said = subprocess.run(asked, capture_output=True, text=True, check=True, env={}).stdout
    assert said == f"{python} -c a b\n"
    assert toolchain.furnish(found, tmp_path / "store") == found
    assert len(list((tmp_path / "store").iterdir())) == 1


def test_an_environment_that_set_up_made(tmp_path: Path):
    (tmp_path / "env").mkdir()
    empty = toolchain.find(None, made=tmp_path / "env")
    (tmp_path / "env/bin").mkdir()
    (tmp_path / "env/bin/python").symlink_to("/only/in/the/box")

    found = toolchain.find(None, made=tmp_path / "env")

    assert (empty.env, empty.made, empty.virtual) == (tmp_path / "env", True, False)
    assert (found.env, found.made, found.virtual) == (tmp_path / "env", True, True)
    assert found.closed
    assert found.binds == toolchain.find(None).binds


def test_node_comes_after_python(tmp_path: Path):
    node = tmp_path / "node/bin/node"
    node.parent.mkdir(parents=True)
    node.touch()

    found = toolchain.find(None, Chosen(node=node))
    plain = toolchain.find(None)

    assert found.path == (*plain.path, node.parent)
    assert found.binds == (*plain.binds, (node, node))
    assert {name for name, _ in found.scripts} >= {"npm", "npx"}
    assert toolchain.find(None, Chosen(node=Path("/usr/bin/node"))) == plain


def test_what_is_chosen_for_a_base(tmp_path: Path):
    spec = BaseSpec(key="k", source=tmp_path)

    assert toolchain.choose(spec, []) == Chosen(python=own_python())
    given = spec.model_copy(update={"env": tmp_path, "python": "3.99"})
    assert toolchain.choose(given, []) == Chosen()
    assert Chosen(python=own_python()).are_there
    assert not Chosen(python=own_python(), node=tmp_path / "none").are_there
