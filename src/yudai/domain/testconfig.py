"""The parts of configuration files that decide which tests run, and whether they changed."""

import re
import tomllib
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as IniError
from typing import Any, cast

from yudai.domain.testfiles import name_of

Sections = dict[str, Any]

_INI_SECTIONS = re.compile(r"(tool:)?pytest|unittest|nosetests|aliases|tox(:.*)?|testenv(:.*)?")
_TOML_TABLES = (
    ("tool", "pytest"),
    ("tool", "tox"),
    ("tool", "unittest"),
    ("project", "entry-points", "pytest11"),
    ("tool", "poetry", "plugins", "pytest11"),
)


class UnreadableConfigError(Exception):
    """It cannot be parsed, so nobody knows what it says."""


def changed_sections(path: str, base: str | None, patched: str | None) -> list[str]:
    """Names of the test sections that differ; a pure addition to pytest's markers does not."""
    before, after = _sections(path, base), _sections(path, patched)
    names = sorted(before.keys() | after.keys())
    return [n for n in names if not _same(before.get(n), after.get(n))]


def _sections(path: str, text: str | None) -> Sections:
    if text is None:
        return {}
    return _toml(path, text) if path.endswith(".toml") else _ini(path, text)


def _ini(path: str, text: str) -> Sections:
    parser = ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except IniError as error:
        raise UnreadableConfigError from error
    found: Sections = {
        name: dict(parser[name]) for name in parser.sections() if _INI_SECTIONS.fullmatch(name)
    }
    plugins = parser.get("options.entry_points", "pytest11", fallback="")
    if plugins:
        found["options.entry_points"] = plugins
    # An empty pytest.ini still takes the place of every other configuration.
    return found or ({name_of(path): {}} if name_of(path).endswith("pytest.ini") else {})


def _toml(path: str, text: str) -> Sections:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableConfigError from error
    if name_of(path) != "pyproject.toml":
        return {name_of(path): document}
    return {".".join(keys): table for keys in _TOML_TABLES if (table := _table(document, keys))}


def _table(document: Mapping[str, Any], keys: tuple[str, ...]) -> object:
    value: object = document
    for key in keys:
        value = cast("Mapping[str, object]", value).get(key) if isinstance(value, Mapping) else None
    return value


def _same(before: object, after: object) -> bool:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before == after
    old, new = dict(cast("Sections", before)), dict(cast("Sections", after))
    if "ini_options" in old and "ini_options" in new:
        inner = _same(old.pop("ini_options"), new.pop("ini_options"))
        return inner and _same(old, new)
    if _lines(old.get("markers")) <= _lines(new.get("markers")):
        old, new = ({k: v for k, v in d.items() if k != "markers"} for d in (old, new))
    return old == new


def _lines(markers: object) -> frozenset[str]:
    if isinstance(markers, str):
        return frozenset(line.strip() for line in markers.splitlines() if line.strip())
    return (
        frozenset(map(str, cast("list[object]", markers)))
        if isinstance(markers, list)
        else frozenset()
    )
