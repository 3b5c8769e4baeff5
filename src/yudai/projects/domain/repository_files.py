"""The files of a repository that are read before anything runs: all names, some texts."""

import json
import tomllib
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as IniError
from typing import Any, NamedTuple, cast

Table = Mapping[str, Any]


class RepositoryFiles(NamedTuple):
    paths: frozenset[str]
    """All files, relative to the root."""
    texts: Mapping[str, str]
    """Texts of the files that were read."""
    folder: str = ""

    def at(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name

    def has(self, name: str) -> bool:
        return self.at(name) in self.paths

    def text(self, name: str) -> str:
        """The text of a file; empty if it is missing or unreadable."""
        return self.texts.get(self.at(name), "")

    def moved(self, folder: str) -> "RepositoryFiles":
        return self._replace(folder=folder)

    @property
    def above(self) -> "list[RepositoryFiles]":
        """The folder itself and all above it, up to the root."""
        parts = self.folder.split("/") if self.folder else []
        return [self.moved("/".join(parts[:n])) for n in range(len(parts), -1, -1)]


class Setup(NamedTuple):
    """Set-up commands of a repository, and their source."""

    commands: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()


def read_toml(text: str) -> Table:
    """Parse TOML; {} if it is invalid, because the tool that reads it reports that."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_json(text: str) -> Table:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("Table", document) if isinstance(document, dict) else {}


def read_ini(text: str) -> ConfigParser | None:
    """None if it cannot be parsed."""
    parser = ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except IniError:
        return None
    return parser


def table(value: object, *keys: str) -> Table:
    """A nested table; {} if any part of the path is not a table."""
    for key in keys:
        value = cast("Table", value).get(key) if isinstance(value, Mapping) else None
    return cast("Table", value) if isinstance(value, Mapping) else {}


def words(value: object) -> tuple[str, ...]:
    """The strings in a list; other items are ignored."""
    if not isinstance(value, list):
        return ()
    return tuple(item for item in cast("list[object]", value) if isinstance(item, str))


def string(value: object) -> str:
    return value if isinstance(value, str) else ""
