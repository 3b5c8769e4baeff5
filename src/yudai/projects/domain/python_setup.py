"""Set-up commands for a Python repository.

They run in its folder, with `uv` and the chosen `python`; "$YUDAI_ENV" is empty.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from yudai.kit.untyped import as_items
from yudai.projects.domain.pyproject import (
    Pyproject,
    is_loose_pytest,
    normal_name,
    read_pyproject,
    testish,
)
from yudai.projects.domain.repository_files import (
    RepositoryFiles,
    Setup,
    Table,
    read_toml,
    string,
    table,
    words,
)
from yudai.projects.domain.tox import read_tox

REQUIREMENTS = (
    "requirements.txt",
    *(f"requirements{sign}{word}.txt" for sign in "-_" for word in ("dev", "test", "tests")),
    *(f"{word}{sign}requirements.txt" for sign in "-_" for word in ("dev", "test", "tests")),
    *(f"requirements/{word}.txt" for word in ("base", "main", "requirements")),
    *(f"requirements/{word}.txt" for word in ("dev", "test", "tests", "testing", "ci")),
)
MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "tox.toml", "Pipfile")
LOCKS = ("uv.lock", "poetry.lock")

_PYTHON = '--python "$(command -v python)"'
_VENV = f'uv venv --quiet {_PYTHON} "$YUDAI_ENV"'
_INSTALL = 'uv pip install --quiet --python "$YUDAI_ENV"'
_UV_NAME = re.compile(r'^name = "([^"]+)"$', re.MULTILINE)
_ITSELF = re.compile(r"^\s*(-e\s+)?\.(\[.*\])?\s*$", re.MULTILINE)
_MAIN = "main"
_PACKAGE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION = re.compile(r"[A-Za-z0-9.!+_-]+")
_EXTRA = re.compile(r"\s*(?:and\s+)?extra\s*==\s*[\"'][^\"']*[\"']\s*(?:and\s+)?")


class _Found(NamedTuple):
    commands: tuple[str, ...]
    source: str
    names: frozenset[str]
    """Normalised names of everything that will be installed, as far as known."""
    notes: tuple[str, ...] = ()


def python_setup(
    repository: RepositoryFiles, *, tests_use_pytest: bool, own_python_fits: bool
) -> Setup:
    """No commands if our own environment, which has pytest, is enough."""
    project = read_pyproject(repository)
    found = _locked(repository, project) or _listed(repository, project)
    notes = (*found.notes, *_pipfile(repository))
    if not found.commands and own_python_fits:
        return Setup((), found.source, notes)
    commands = found.commands or (_VENV,)
    if tests_use_pytest and "pytest" not in found.names:
        commands = (*commands, f"{_INSTALL} pytest")
    return Setup(commands, found.source or "tests", notes)


def _locked(repository: RepositoryFiles, project: Pyproject) -> _Found | None:
    for place in repository.above:
        if place.has("uv.lock"):
            return _uv_lock(place, project)
        if place.has("poetry.lock") and place.folder == repository.folder:
            return _poetry_lock(place, project)
    return None


def _uv_lock(place: RepositoryFiles, project: Pyproject) -> _Found:
    """The lock file may belong to a parent workspace, where uv finds it."""
    names = frozenset(map(normal_name, _UV_NAME.findall(place.text("uv.lock"))))
    if project.test_groups or project.has_conflicts or not project.groups:
        groups = [f"--group {shlex.quote(group)}" for group in project.test_groups]
    else:
        groups = ["--all-groups"]
    extras = [f"--extra {shlex.quote(extra)}" for extra in project.test_extras]
    sync = " ".join(
        ['UV_PROJECT_ENVIRONMENT="$YUDAI_ENV" uv sync --quiet --frozen', _PYTHON, *extras, *groups]
    )
    lost = _missing(project, names) if names else []
    notes = (f"uv.lock is out of date: {', '.join(lost)} added as asked for",) if lost else ()
    more = (f"{_INSTALL} {shlex.join(lost)}",) if lost else ()
    # What cannot be built can still be tested where it lies.
    known = names | frozenset(map(normal_name, lost))
    return _Found((f"{sync} || {sync} --no-install-project", *more), "uv.lock", known, notes)


def _poetry_lock(place: RepositoryFiles, project: Pyproject) -> _Found:
    groups = [*testish(project.poetry_groups), *project.test_groups]
    locked = read_poetry_lock(place.text("poetry.lock"), groups=groups, extras=project.test_extras)
    lost = _missing(project, locked.names)
    notes = (f"poetry.lock is out of date: {', '.join(lost)} added as asked for",) if lost else ()
    lines = shlex.join(locked.requirements)
    commands = [_VENV]
    if locked.requirements:
        commands.append(f"printf '%s\\n' {lines} | {_INSTALL} --no-deps -r -")
    if lost:
        commands.append(f"{_INSTALL} {shlex.join(lost)}")
    if project.installable:
        note = "echo 'the project itself cannot be built; its dependencies are there' >&2"
        commands.append(f"{_INSTALL} --no-deps -e . || {note}")
    known = locked.names | frozenset(map(normal_name, lost))
    return _Found(tuple(commands), "poetry.lock", known, (*locked.notes, *notes))


def _missing(project: Pyproject, names: frozenset[str]) -> list[str]:
    return [r for r in dict.fromkeys(project.needed) if normal_name(r) not in names]


def _listed(repository: RepositoryFiles, project: Pyproject) -> _Found:
    """Without a lock: requirement files, the project with extras and groups, then tox's."""
    files = [name for name in REQUIREMENTS if repository.has(name)]
    texts = [repository.text(name) for name in files]
    needed = [*project.needed, *(line for text in texts for line in _requirements(text))]
    tox = read_tox(repository)
    tools = frozenset(map(normal_name, needed))
    deps = tox.deps if tox and "pytest" not in tools else ()
    needed += [dep for dep in deps if not dep.startswith("-")]
    is_trivial = all(map(is_loose_pytest, needed)) and not any("-r" in dep for dep in deps)
    if is_trivial and not (project.installable and project.needs_install):
        return _Found((), "", frozenset())
    itself = project.installable and not any(map(_ITSELF.search, texts))
    command = _install(files, project, deps=deps, itself=itself)
    if itself and not repository.has("setup.py"):
        command = f"{command} || {_without_itself(files, project, deps)}"
    sources = [*files, *(["tox"] if deps else [])]
    sources += [name for name in MARKERS[:3] if itself and repository.has(name)]
    source = " + ".join(dict.fromkeys(sources)) or "pyproject.toml"
    return _Found((_VENV, command), source, frozenset(map(normal_name, needed)))


def _install(files: list[str], project: Pyproject, *, deps: tuple[str, ...], itself: bool) -> str:
    """Install everything in one resolution."""
    words = _words(files, project, deps)
    if not itself:
        return f"{_INSTALL} {shlex.join(words or list(project.needed))}"
    extras = ",".join(project.test_extras)
    return f"{_INSTALL} {shlex.join([*words, '-e', f'.[{extras}]' if extras else '.'])}"


def _without_itself(files: list[str], project: Pyproject, deps: tuple[str, ...]) -> str:
    """A project that cannot be built (no build system, several packages) can still be tested."""
    words = [*_words(files, project, deps), *project.dependencies]
    words += [r for extra in project.test_extras for r in project.extras[extra]]
    note = "echo 'the project itself cannot be built: only its dependencies are installed' >&2"
    return f"{{ {note}; {_INSTALL} {shlex.join(words)}; }}" if words else f"{note}"


def _words(files: list[str], project: Pyproject, deps: tuple[str, ...]) -> list[str]:
    return [
        *(word for file in files for word in ("-r", file)),
        *(word for dep in deps for word in _dep_words(dep)),
        *(r for group in testish(project.poetry_groups) for r in project.poetry_groups[group]),
        *(word for group in project.test_groups for word in ("--group", group)),
    ]


def _dep_words(dep: str) -> list[str]:
    """Split arguments: `-rfile` equals `-r file`, and a requirement with markers has spaces."""
    match = re.fullmatch(r"(-r|-c)\s*(\S+)", dep)
    return [match[1], match[2]] if match else [dep]


def _requirements(text: str) -> list[str]:
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def _pipfile(repository: RepositoryFiles) -> tuple[str, ...]:
    if not repository.has("Pipfile"):
        return ()
    return ("Pipfile is not read: give its installation with --setup or in .yudai.yml",)


class Locked(NamedTuple):
    requirements: tuple[str, ...]
    """`name==version ; markers`, sorted."""
    names: frozenset[str]
    notes: tuple[str, ...]


def read_poetry_lock(text: str, *, groups: Collection[str], extras: Collection[str]) -> Locked:
    """Poetry's lock as plain requirements, so that no Poetry is needed to install them.

    What these groups and the main one need; an empty collection of groups: all of them.
    """
    document = read_toml(text)
    packages = [table(p) for p in as_items(document.get("package"))]
    wanted = {_MAIN, *groups} if groups else set[str]()
    optional = bool(set(table(document, "extras")) & set(extras))
    chosen = [p for p in packages if _is_chosen(p, wanted, optional=optional)]
    edges = _edge_markers(packages)
    lines: dict[str, str] = {}
    notes: list[str] = []
    for package in chosen:
        name, version = string(package.get("name")), string(package.get("version"))
        if not _PACKAGE_NAME.fullmatch(name) or not _VERSION.fullmatch(version):
            continue
        kind = string(table(package, "source").get("type"))
        if kind in {"git", "url", "directory", "file"}:
            notes.append(f"poetry.lock takes {name} from a {kind} source: it is not installed")
            continue
        marker = _marker(package, wanted, edges.get(_normal(name), []))
        lines.setdefault(f"{_normal(name)} {marker}", _requirement_line(name, version, marker))
    names = frozenset(_normal(string(package.get("name"))) for package in chosen)
    return Locked(tuple(sorted(lines.values())), names, tuple(notes))


def _requirement_line(name: str, version: str, marker: str) -> str:
    return f"{name}=={version} ; {marker}" if marker else f"{name}=={version}"


def _is_chosen(package: Table, wanted: AbstractSet[str], *, optional: bool) -> bool:
    if package.get("optional") is True and not optional:
        return False
    named = words(package.get("groups")) or tuple(filter(None, [string(package.get("category"))]))
    return not wanted or not named or not wanted.isdisjoint(named)


def _marker(package: Table, wanted: Collection[str], edges: list[str]) -> str:
    """The package's own marker (Poetry 2), by group if they differ; else that of its dependents."""
    own = package.get("markers")
    if isinstance(own, str):
        return _one_line(own)
    if by_group := table(own):
        named = words(package.get("groups"))
        found = [string(by_group.get(g)) for g in named if not wanted or g in wanted]
        return _any_of(found)
    return "" if "groups" in package else _any_of(edges)


def _edge_markers(packages: list[Table]) -> dict[str, list[str]]:
    """Older lock files store a package's marker only with its dependents."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        for name, entry in table(package, "dependencies").items():
            for marker in _markers_of(entry):
                found[_normal(name)].append(_EXTRA.sub("", marker))
    return found


def _markers_of(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield ""
    for choice in as_items(entry) or [entry]:
        if fields := table(choice):
            yield string(fields.get("markers"))


def _any_of(markers: list[str]) -> str:
    if not markers or not all(markers):
        return ""
    unique = list(dict.fromkeys(map(_one_line, markers)))
    return unique[0] if len(unique) == 1 else " or ".join(f"({marker})" for marker in unique)


def _one_line(marker: str) -> str:
    return " ".join(marker.split())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
