"""Detects the language and the set-up of a repository from its files."""

import re
import shlex
from collections.abc import Mapping
from typing import NamedTuple

from yudai.patches.test_paths import is_test_path
from yudai.projects.domain import python_setup
from yudai.projects.domain.project import NAMES
from yudai.projects.domain.repository_files import (
    RepositoryFiles,
    Setup,
    Table,
    read_json,
    string,
    table,
)

MANIFEST = "package.json"
LOCKS = (
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
)
WORKSPACES = "pnpm-workspace.yaml"

_KINDS = ("dependencies", "devDependencies", "optionalDependencies")
_NPM = "--no-audit --no-fund --include=dev"
# Neither the lock nor package.json may change: patches are made against them.
_NPM_INSTALL = f"npm install {_NPM} --no-save"
_PNPM_BY_LOCK = {"5": "7", "6": "8", "9": "9"}
_LOCK_VERSION = re.compile(r"""^lockfileVersion:\s*['"]?(\d+)""", re.MULTILINE)
_MANAGER = re.compile(r"pnpm@(\d+)\.")
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
    """Files that must be read for detection."""
    names = (
        *NAMES,
        *_PYTHON_FILES,
        *LOCKS[:4],
        MANIFEST,
        WORKSPACES,
        ".python-version",
    )
    found = (place.at(name) for place in repository.above for name in names)
    return [path for path in dict.fromkeys(found) if path in repository.paths]


def find_tests(repository: RepositoryFiles) -> FoundTests:
    inside = [path for path in sorted(repository.paths) if path.startswith(repository.at(""))]
    tests = [path for path in inside if _SKIPPED.isdisjoint(path.split("/"))]
    python = (path for path in tests if _PYTHON_TEST.fullmatch(path.rpartition("/")[2]))
    node = (p for p in tests if _NODE_TEST.fullmatch(p.rpartition("/")[2]) and is_test_path(p))
    return FoundTests(tuple(python), tuple(node))


def choose_language(
    repository: RepositoryFiles, tests: FoundTests, *, test_command: str = ""
) -> Language:
    """Choose by the test command, or the only language, or the location of the tests."""
    home = node_home(repository)
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
        return node_setup(repository)
    return python_setup.python_setup(
        repository, tests_use_pytest=tests_use_pytest, own_python_fits=own_python_fits
    )


def uses_pytest(text: str) -> bool:
    return _USES_PYTEST.search(text) is not None


def _has_test_script(home: RepositoryFiles) -> bool:
    """Whether there is a test script other than npm's placeholder."""
    script = string(table(read_json(home.text(MANIFEST)), "scripts").get("test"))
    return bool(script) and _PLACEHOLDER not in script


def _program(command: str) -> str:
    """The first word that is not an assignment."""
    words = command.split()
    return next((word for word in words if "=" not in word), "").rpartition("/")[2]


class _Place(NamedTuple):
    home: RepositoryFiles
    """Where `package.json` is."""
    locked: RepositoryFiles
    """Folder of the lock file: the same, or the root of its workspaces."""


def node_setup(repository: RepositoryFiles) -> Setup:
    """How dependencies are installed, from `package.json` and its lock.

    Scripts of packages stay on: some build what they need, and they run in the sandbox like all
    code.
    """
    home = node_home(repository)
    if home is None:
        return Setup()
    place = _Place(home, _workspace(home) or home)
    manifest = read_json(home.text(MANIFEST))
    has_members = "workspaces" in manifest or home.has(WORKSPACES)
    if place.locked is home and not has_members and not _wanted(manifest):
        return Setup((), MANIFEST)
    lock = next((name for name in LOCKS if place.locked.has(name)), "")
    setup = _by_lock(place, lock)
    inside = _cd(repository.folder, place.locked.folder)
    return setup._replace(commands=tuple(f"{inside}{command}" for command in setup.commands))


def node_home(repository: RepositoryFiles) -> RepositoryFiles | None:
    """The nearest folder with a `package.json`, from here upwards."""
    return next((place for place in repository.above if place.has(MANIFEST)), None)


def _workspace(home: RepositoryFiles) -> RepositoryFiles | None:
    """The parent folder whose lock file covers this one."""
    if any(home.has(name) for name in LOCKS):
        return None
    for place in home.above[1:]:
        is_top = place.has(WORKSPACES) or "workspaces" in read_json(place.text(MANIFEST))
        if is_top:
            return place
    return None


def _cd(folder: str, target: str) -> str:
    ups = len(folder.split("/")) - len(target.split("/") if target else []) if folder else 0
    return f"cd {shlex.quote('/'.join(['..'] * ups))} && " if ups else ""


def _by_lock(place: _Place, lock: str) -> Setup:
    text = place.locked.text(lock) if lock else ""
    if lock in LOCKS[:2]:
        return _npm(place, lock, text)
    if lock == "pnpm-lock.yaml":
        return _pnpm(place, text)
    if lock == "yarn.lock" and "__metadata:" not in text:
        yarn = "npm exec --yes yarn@1 -- install --non-interactive"
        return Setup((f"{yarn} --frozen-lockfile || {yarn} --pure-lockfile",), lock)
    command = f"npm install {_NPM} --no-package-lock"
    if lock:
        note = f"{lock} is not read: npm installs what package.json asks for"
        return Setup((command,), MANIFEST, (note,))
    return Setup((command,), MANIFEST)


def _npm(place: _Place, lock: str, text: str) -> Setup:
    stale = _stale(read_json(place.locked.text(MANIFEST)), read_json(text))
    if stale:
        note = f"{lock} is out of date ({stale}): npm install instead of npm ci"
        return Setup((_NPM_INSTALL,), lock, (note,))
    said = "echo 'npm ci does not take this lock: npm install instead' >&2"
    return Setup((f"npm ci {_NPM} || {{ {said}; {_NPM_INSTALL}; }}",), lock)


def _stale(manifest: Table, lock: Table) -> str:
    """The first dependency that does not match the lock file; "" if all do."""
    known = table(lock, "packages", "")
    wanted = _wanted(manifest)
    if known:
        locked = _wanted(known)
        differing = sorted(n for n in wanted if locked.get(n) != wanted[n])
    else:
        old = table(lock, "dependencies")
        differing = sorted(n for n in wanted if n not in old) if old else []
    return differing[0] if differing else ""


def _wanted(manifest: Table) -> Mapping[str, str]:
    return {
        name: string(version) for kind in _KINDS for name, version in table(manifest, kind).items()
    }


def _pnpm(place: _Place, text: str) -> Setup:
    managed = _MANAGER.match(string(read_json(place.locked.text(MANIFEST)).get("packageManager")))
    version = _LOCK_VERSION.search(text)
    major = managed[1] if managed else _PNPM_BY_LOCK.get(version[1] if version else "", "9")
    pnpm = f"npm exec --yes pnpm@{major} -- install --prod=false"
    return Setup((f"{pnpm} --frozen-lockfile || {pnpm} --no-lockfile",), "pnpm-lock.yaml")
