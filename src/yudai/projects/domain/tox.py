"""Reads what tox would install and run, from any of its configuration files."""

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from yudai.projects.domain.repository_files import (
    RepositoryFiles,
    Table,
    read_ini,
    read_toml,
    string,
    table,
    words,
)

_POSARGS = re.compile(r"\{posargs(?::([^{}]*))?\}")
_OWN_FOLDER = re.compile(r"\{(?:toxinidir|tox_root)\}/?")
_SECTION = "testenv"
_CONDITIONAL = re.compile(r"!?[\w.,{}!-]+:\s")


class Tox(NamedTuple):
    deps: tuple[str, ...] = ()
    """Arguments of an installer: requirements, or `-r` with a file."""
    extras: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def read_tox(repository: RepositoryFiles) -> Tox | None:
    """The default test environment; None without tox."""
    inside = table(read_toml(repository.text("pyproject.toml")), "tool", "tox")
    legacy = string(inside.get("legacy_tox_ini"))
    for text in (repository.text("tox.ini"), legacy, repository.text("setup.cfg")):
        if (found := _ini(text)) is not None:
            return found
    for document in (read_toml(repository.text("tox.toml")), inside):
        if environment := table(document, "env_run_base"):
            return _native(environment)
    return None


def _ini(text: str) -> Tox | None:
    if (parser := read_ini(text)) is None or not parser.has_section(_SECTION):
        return None

    def lines(key: str) -> list[str]:
        value = parser.get(_SECTION, key, fallback="") or ""
        joined = re.sub(r"\\\n\s*", "", value)
        return [line.strip() for line in joined.splitlines() if line.strip()]

    extras = [word for line in lines("extras") for word in re.split(r"[\s,]+", line)]
    return _tox(lines("deps"), extras, lines("commands"))


def _native(environment: Table) -> Tox:
    commands = [" ".join(_flat(command)) for command in environment.get("commands", []) if command]
    return _tox(
        list(words(environment.get("deps"))), list(words(environment.get("extras"))), commands
    )


def _flat(command: object) -> Iterator[str]:
    """A command of words, where `{replace = "posargs", default = [...]}` stands for its default."""
    if isinstance(command, str):
        yield command
    elif isinstance(command, list):
        for word in cast("list[object]", command):
            yield from _flat(word)
    elif table(command).get("replace") == "posargs":
        yield from words(table(command).get("default"))


def _tox(deps: list[str], extras: list[str], commands: list[str]) -> Tox:
    """Without lines for single environments (`py38: x`) and variables that only tox knows."""
    plain = (_filled(line) for line in deps if not _CONDITIONAL.match(line))
    run = (_filled(line).lstrip("- ") for line in commands if not _CONDITIONAL.match(line))
    return Tox(
        deps=tuple(dep for dep in plain if dep and "{" not in dep and not dep.startswith("#")),
        extras=tuple(extra for extra in extras if extra and "{" not in extra),
        commands=tuple(command for command in run if command and "{" not in command),
    )


def _filled(line: str) -> str:
    line = _POSARGS.sub(lambda match: match[1] or "", line)
    return _OWN_FOLDER.sub("", line).replace("{envpython}", "python").strip()
