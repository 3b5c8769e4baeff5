"""A repository as far as it was read before anything runs: names of files, some of their texts."""

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
    """Those that were read."""
    folder: str = ""

    def at(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name

    def has(self, name: str) -> bool:
        return self.at(name) in self.paths

    def text(self, name: str) -> str:
        """Its text; empty when it is not there or cannot be read."""
        return self.texts.get(self.at(name), "")

    def moved(self, folder: str) -> "RepositoryFiles":
        return self._replace(folder=folder)

    @property
    def above(self) -> "list[RepositoryFiles]":
        """The folder itself and all above it, up to the root."""
        parts = self.folder.split("/") if self.folder else []
        return [self.moved("/".join(parts[:n])) for n in range(len(parts), -1, -1)]


class Setup(NamedTuple):
    """Commands that make a repository ready, and where they come from."""

    commands: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()


def read_toml(text: str) -> Table:
    """{} for what is no TOML: the tool that needs it will say so."""
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
    """None for what cannot be read."""
    parser = ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except IniError:
        return None
    return parser


def table(value: object, *keys: str) -> Table:
    """A table inside a table; {} where anything on the way is something else."""
    for key in keys:
        value = cast("Table", value).get(key) if isinstance(value, Mapping) else None
    return cast("Table", value) if isinstance(value, Mapping) else {}


def words(value: object) -> tuple[str, ...]:
    """The texts of a list; whatever else is in it is left out."""
    if not isinstance(value, list):
        return ()
    return tuple(item for item in cast("list[object]", value) if isinstance(item, str))


def string(value: object) -> str:
    return value if isinstance(value, str) else ""
