import errno
from collections.abc import Mapping
from pathlib import Path

import pytest

from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import RefusedError
from yudai.projects.domain.project import Given, Project
from yudai.projects.find import find_project

PYPROJECT = "[project]\nname = 'x'\nrequires-python = '>=3.9'\ndependencies = ['requests']\n"


class SnapshotFiles:
    """A forge that only reads, and remembers what it was asked for."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = {name: text.encode() for name, text in files.items()}
        self.asked: list[str] = []

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        del snapshot
        return tuple(self.files)

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        del snapshot
        self.asked.append(path)
        if len(self.files[path]) > max_bytes:
            raise OSError(errno.EFBIG, path)
        return self.files[path]


def snapshot(folder: str = "") -> Snapshot:
    root = Path("/nowhere")
    return Snapshot(
        repo="x", root=root, folder=folder, branch="main", commit="c", tree="t", source=root
    )


async def found(files: Mapping[str, str], folder: str = "", given: Given | None = None) -> Project:
    return await find_project(SnapshotFiles(files), snapshot(folder), given or Given())


async def test_a_repository_without_anything():
    assert await found({"README.md": ""}) == Project()


async def test_a_python_repository():
    shelf = SnapshotFiles(
        {"pyproject.toml": PYPROJECT, "tests/test_a.py": "import pytest\n", "x.py": ""}
    )
    project = await find_project(shelf, snapshot())
    assert project.python == ">=3.9"
    assert project.setup_from == "pyproject.toml"
    assert project.setup[-1].endswith(" pytest")
    assert not project.node
    assert shelf.asked == ["pyproject.toml", "tests/test_a.py"]


async def test_a_python_that_is_not_ours_gets_an_environment():
    project = await found({".python-version": "2.7\n", "test_a.py": "def test_a(): pass\n"})
    assert project.python == "2.7"
    assert len(project.setup) == 2


async def test_a_node_repository():
    project = await found({"package.json": '{"dependencies": {"a": "1"}}', "a.test.js": ""})
    assert project.node
    assert project.setup_from == "package.json"


async def test_the_command_line_goes_before_the_file_and_that_before_detection():
    files = {
        "pyproject.toml": PYPROJECT,
        ".yudai.yml": "setup: make deps\ntest: make test\npython: 3.10\ntimeouts: {test: 5}\n",
    }
    filed = await found(files)
    assert (filed.setup, filed.setup_from) == (("make deps",), ".yudai.yml")
    assert (filed.test, filed.test_from, filed.python) == ("make test", ".yudai.yml", "3.10")
    assert (filed.test_timeout_s, filed.setup_timeout_s) == (5.0, 1800.0)
    given = Given(setup=("a", "b"), test="pytest -x", python="3.11")
    typed = await found(files, given=given)
    assert (typed.setup, typed.setup_from) == (("a", "b"), "--setup")
    assert (typed.test, typed.test_from, typed.python) == ("pytest -x", "--test", "3.11")
    assert typed.test_timeout_s == 5.0
    nothing = await found(files, given=Given(setup=()))
    assert nothing.setup == ()


async def test_an_environment_that_was_given_needs_no_set_up_for_python():
    python = await found({"pyproject.toml": PYPROJECT}, given=Given(has_env=True))
    assert (python.setup, python.setup_from) == ((), "--env")
    node = await found({"package.json": '{"dependencies": {"a": "1"}}'}, given=Given(has_env=True))
    assert node.setup != ()


async def test_the_file_of_the_folder_goes_before_that_of_the_root():
    files = {
        ".yudai.yml": "test: root\nprotected: ['a/b', '*.lock']\n",
        "api/.yudai.yaml": "test: folder\nprotected: ['a/b', '/x/', '*.lock']\n",
        "web/a.py": "",
    }
    api, web = await found(files, "api"), await found(files, "web")
    assert (api.folder, api.test, api.test_from) == ("api", "folder", "api/.yudai.yaml")
    assert api.protected == ("api/a/b", "api/x/", "*.lock")
    assert (web.folder, web.test, web.protected) == ("web", "root", ("a/b", "*.lock"))


async def test_the_roots_file_may_name_a_folder():
    files = {".yudai.yml": "folder: api\n", "api/requirements.txt": "a\n"}
    project = await found(files)
    assert (project.folder, project.setup_from) == ("api", "requirements.txt")
    with pytest.raises(RefusedError, match="`folder`: there is no folder gone"):
        await found({".yudai.yml": "folder: gone\n"})


@pytest.mark.parametrize("text", ["tests: pytest\n", "#" * 70_000, "image: x\n"])
async def test_a_bad_file_is_refused_in_one_line(text: str):
    with pytest.raises(RefusedError, match=r"^\.yudai\.yml[^\n]*$"):
        await found({".yudai.yml": text})


async def test_notes_are_handed_on():
    files = {"Pipfile": "", "package.json": "{}", "test_a.py": "", "a.py": ""}
    project = await found(files)
    assert [note.split(":")[0] for note in project.notes] == [
        "both Python and Node",
        "Pipfile is not read",
    ]
