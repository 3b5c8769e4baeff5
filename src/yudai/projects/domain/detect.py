"""Whether a repository is Python's or Node's, and how it is made ready: from its files alone."""

import re
from typing import NamedTuple

from yudai.patches.test_paths import is_test_path
from yudai.projects.domain import node_setup, python_setup
from yudai.projects.domain.project import NAMES
from yudai.projects.domain.repository_files import RepositoryFiles, Setup, read_json, string, table

_SKIPPED = frozenset({"node_modules", "site-packages", "dist", "build", "vendor", "venv", ".venv"})
_PYTHON_TEST = re.compile(r"(test_.*|.*_test|tests?)\.py")
_NODE_TEST = re.compile(r".*\.[cm]?[jt]sx?")
_USES_PYTEST = re.compile(r"^\s*(import|from) pytest\b|^(async )?def test", re.MULTILINE)
_NODE_PROGRAMS = frozenset(
    {"npm", "npx", "pnpm", "yarn", "node", "jest", "vitest", "mocha", "tsx", "bun", "c8", "nyc"}
)
_PYTHON_PROGRAMS = re.compile(r"python[\d.]*|pytest|py\.test|tox|nox|uv|poetry|pipenv|coverage")
_PYTHON_FILES = (*python_setup.MARKERS, *python_setup.LOCKS, *python_setup.REQUIREMENTS)
_PLACEHOLDER = "no test specified"


class FoundTests(NamedTuple):
    """Names of test files, by language."""

    python: tuple[str, ...]
    node: tuple[str, ...]


class Language(NamedTuple):
    is_node: bool
    notes: tuple[str, ...] = ()


def wanted_files(repository: RepositoryFiles) -> list[str]:
    """What has to be read before anything can be said."""
    names = (
        *NAMES,
        *_PYTHON_FILES,
        *node_setup.LOCKS[:4],
        node_setup.MANIFEST,
        node_setup.WORKSPACES,
        ".python-version",
    )
    found = (place.at(name) for place in repository.above for name in names)
    return [path for path in dict.fromkeys(found) if path in repository.paths]


def find_tests(repository: RepositoryFiles) -> FoundTests:
    inside = [path for path in sorted(repository.paths) if _is_inside(path, repository.folder)]
    tests = [path for path in inside if _SKIPPED.isdisjoint(path.split("/"))]
    python = (path for path in tests if _PYTHON_TEST.fullmatch(path.rpartition("/")[2]))
    node = (p for p in tests if _NODE_TEST.fullmatch(p.rpartition("/")[2]) and is_test_path(p))
    return FoundTests(tuple(python), tuple(node))


def choose_language(
    repository: RepositoryFiles, tests: FoundTests, *, test_command: str = ""
) -> Language:
    """By the test command, else by the only language there is, else by where the tests are."""
    home = node_setup.node_home(repository)
    has_node = home is not None
    has_python = bool(tests.python) or any(map(repository.has, _PYTHON_FILES))
    program = _program(test_command)
    if program in _NODE_PROGRAMS or _PYTHON_PROGRAMS.fullmatch(program):
        return Language(has_node and program in _NODE_PROGRAMS)
    if home is None or not has_python:
        return Language(has_node)
    python, node = len(tests.python), len(tests.node)
    is_node = node > python or (node == python and _has_test_script(home))
    name, other = ("Node", "Python") if is_node else ("Python", "Node")
    counts = f"{max(python, node)} test files against {min(python, node)}"
    note = f"both Python and Node: taken as {name} ({counts}); --test chooses {other}"
    return Language(is_node, (note,))


def find_setup(
    repository: RepositoryFiles, *, is_node: bool, tests_use_pytest: bool, own_python_fits: bool
) -> Setup:
    if is_node:
        return node_setup.node_setup(repository)
    return python_setup.python_setup(
        repository, tests_use_pytest=tests_use_pytest, own_python_fits=own_python_fits
    )


def uses_pytest(text: str) -> bool:
    return _USES_PYTEST.search(text) is not None


def _has_test_script(home: RepositoryFiles) -> bool:
    """Whether there is one besides that which npm puts there."""
    script = string(table(read_json(home.text(node_setup.MANIFEST)), "scripts").get("test"))
    return bool(script) and _PLACEHOLDER not in script


def _is_inside(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _program(command: str) -> str:
    """The first word that is no assignment."""
    words = command.split()
    return next((word for word in words if "=" not in word), "").rpartition("/")[2]
