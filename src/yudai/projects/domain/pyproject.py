"""Reads dependencies and build settings from `pyproject.toml` or older files."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from yudai.projects.domain.repository_files import (
    RepositoryFiles,
    Table,
    read_ini,
    read_toml,
    string,
    table,
    words,
)

_PINNED = re.compile(r"(?:cpython-?)?(\d+\.\d+)(?:\.\w+)?")
_CLAUSE = re.compile(r"(\^|~|)\s*(\d+(?:\.\d+)*)(\.\*)?")
_REQUIRES = re.compile(r"""python_requires\s*=\s*["']?([^"'\n)]+)""")


def python_pin(repository: RepositoryFiles) -> str:
    """`3.12` for an exact pin, else what the project's metadata ask for, else ""."""
    for place in repository.above:
        for line in place.text(".python-version").splitlines():
            if pinned := _PINNED.fullmatch(line.strip()):
                return pinned[1]
    return next((asked for place in repository.above if (asked := _asked(place))), "")


def is_allowed(asked: str, version: str) -> bool:
    """Whether this version satisfies it. An unreadable constraint is ignored."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - costs 0.1 s

    pinned = _PINNED.fullmatch(asked)
    try:
        return SpecifierSet(f"=={pinned[1]}.*" if pinned else asked).contains(version)
    except InvalidSpecifier:
        return True


def plain_specifier(constraint: str) -> str:
    """Poetry's constraint in the standard form: `^1.2` is `>=1.2,<2`; "" for any."""
    last = constraint.replace("||", "|").split("|")[-1]
    clauses = (_plain(part.strip()) for part in last.split(","))
    return ",".join(clause for clause in clauses if clause)


def _asked(repository: RepositoryFiles) -> str:
    document = read_toml(repository.text("pyproject.toml"))
    found = string(table(document, "project").get("requires-python"))
    if not found:
        poetry = table(document, "tool", "poetry", "dependencies")
        found = plain_specifier(string(poetry.get("python")))
    if not found:
        texts = (repository.text("setup.cfg"), repository.text("setup.py"))
        found = next((match[1].strip() for t in texts if (match := _REQUIRES.search(t))), "")
    return _readable(re.sub(r"\s+", "", found))


def _readable(asked: str) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - costs 0.1 s

    try:
        return asked if SpecifierSet(asked) else ""
    except InvalidSpecifier:
        return ""


def _plain(part: str) -> str:
    match = _CLAUSE.fullmatch(part)
    if match is None:
        return "" if part == "*" else part
    sign, number, star = match[1], match[2], match[3] or ""
    numbers = [int(n) for n in number.split(".")]
    if sign == "^":
        fixed = next((n for n, value in enumerate(numbers) if value), len(numbers) - 1)
        return f">={number},<{_next(numbers, fixed)}"
    if sign == "~":
        return f">={number},<{_next(numbers, min(1, len(numbers) - 1))}"
    return f"=={number}{star}"


def _next(numbers: list[int], place: int) -> str:
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1]))


_TESTISH = re.compile(r"dev|develop|development|tests?|testing|unit-?tests?|ci|check")
_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_LOOSE_PYTEST = re.compile(r"pytest\s*(>=?\s*[\d.]+)?\s*")


class Pyproject(NamedTuple):
    dependencies: tuple[str, ...] = ()
    extras: Mapping[str, tuple[str, ...]] = {}
    groups: Mapping[str, tuple[str, ...]] = {}
    poetry_groups: Mapping[str, tuple[str, ...]] = {}
    """As plain requirements, without those that do not come from an index."""
    installable: bool = False
    """Whether the project can be built."""
    needs_install: bool = False
    """Whether code may rely on being installed: scripts, metadata, a `src` layout."""
    has_conflicts: bool = False
    """Whether uv's settings say that some groups exclude each other."""

    @property
    def test_extras(self) -> list[str]:
        return testish(self.extras)

    @property
    def test_groups(self) -> list[str]:
        return testish(self.groups)

    @property
    def needed(self) -> list[str]:
        """Every requirement that the tests could need."""
        return [
            *self.dependencies,
            *(r for extra in self.test_extras for r in self.extras[extra]),
            *(r for group in self.test_groups for r in self.groups[group]),
            *(r for group in testish(self.poetry_groups) for r in self.poetry_groups[group]),
        ]


def testish(names: Iterable[str]) -> list[str]:
    return [name for name in names if _TESTISH.fullmatch(name.lower())]


def normal_name(requirement: str) -> str:
    match = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", match[1]).lower() if match else ""


def is_loose_pytest(requirement: str) -> bool:
    """Whether our own pytest is enough, because any recent version is."""
    return _LOOSE_PYTEST.fullmatch(requirement) is not None


def read_pyproject(repository: RepositoryFiles) -> Pyproject:
    document = read_toml(repository.text("pyproject.toml"))
    project, poetry = table(document, "project"), table(document, "tool", "poetry")
    config = _setup_cfg(repository.text("setup.cfg"))
    return Pyproject(
        dependencies=(
            *words(project.get("dependencies")),
            *_poetry(table(poetry, "dependencies")),
            *config.get("install_requires", ()),
        ),
        extras={**_lists(table(project, "optional-dependencies")), **_extras(config)},
        groups=_lists(table(document, "dependency-groups")),
        poetry_groups=_poetry_groups(poetry),
        installable=_is_installable(repository, document),
        needs_install=_needs_install(repository, document),
        has_conflicts="conflicts" in table(document, "tool", "uv"),
    )


def _is_installable(repository: RepositoryFiles, document: Table) -> bool:
    if repository.has("setup.py") or table(document, "build-system"):
        return table(document, "tool", "poetry").get("package-mode") is not False
    return bool(table(document, "project"))


def _needs_install(repository: RepositoryFiles, document: Table) -> bool:
    if repository.has("setup.py") or _setup_cfg(repository.text("setup.cfg")):
        return True
    project = table(document, "project")
    options = table(document, "tool", "pytest", "ini_options")
    inside = repository.at("src/")
    has_src = any(path.startswith(inside) and path.endswith(".py") for path in repository.paths)
    return bool(
        any(key in project for key in ("scripts", "gui-scripts", "entry-points", "dynamic"))
        or table(document, "tool", "poetry", "scripts")
        or table(document, "tool", "poetry", "plugins")
        or (has_src and "pythonpath" not in options)
    )


def _lists(tables: Table) -> dict[str, tuple[str, ...]]:
    return {name: words(value) for name, value in tables.items()}


def _poetry_groups(poetry: Table) -> dict[str, tuple[str, ...]]:
    groups = table(poetry, "group")
    found = {name: _poetry(table(groups, name, "dependencies")) for name in groups}
    old = _poetry(table(poetry, "dev-dependencies"))
    return {**found, "dev": (*found.get("dev", ()), *old)} if old else found


def _poetry(dependencies: Table) -> tuple[str, ...]:
    found: list[str] = []
    for name, entry in dependencies.items():
        fields = table(entry)
        version = string(entry) or string(fields.get("version"))
        if name.lower() == "python" or not version or fields.get("optional") is True:
            continue
        extras = ",".join(words(fields.get("extras")))
        found.append(f"{name}{f'[{extras}]' if extras else ''}{plain_specifier(version)}")
    return tuple(found)


def _setup_cfg(text: str) -> dict[str, tuple[str, ...]]:
    """`install_requires`, and extras as `extra:NAME`."""
    if (parser := read_ini(text)) is None:
        return {}

    def lines(value: str | None) -> tuple[str, ...]:
        return tuple(line.strip() for line in (value or "").splitlines() if line.strip())

    found: dict[str, tuple[str, ...]] = {}
    if parser.has_section("metadata") or parser.has_section("options"):
        found["install_requires"] = lines(parser.get("options", "install_requires", fallback=""))
    if parser.has_section("options.extras_require"):
        for name, value in parser["options.extras_require"].items():
            found[f"extra:{name}"] = lines(value)
    return found


def _extras(config: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {
        name.removeprefix("extra:"): value
        for name, value in config.items()
        if name.startswith("extra:")
    }
