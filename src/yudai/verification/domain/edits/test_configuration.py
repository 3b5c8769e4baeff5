"""Finds changes to the parts of configuration files that decide which tests run."""

import json
import re
import tomllib
from collections.abc import Callable
from typing import Any, cast

from yudai.patches.test_paths import name_of
from yudai.projects.domain.makefile import read_makefile
from yudai.projects.domain.repository_files import read_ini, table

Sections = dict[str, Any]

_INI_SECTIONS = re.compile(r"(tool:)?pytest|unittest|nosetests|aliases|tox(:.*)?|testenv(:.*)?")
_TOML_TABLES = (
    ("tool", "pytest"),
    ("tool", "tox"),
    ("tool", "unittest"),
    ("project", "entry-points", "pytest11"),
    ("tool", "poetry", "plugins", "pytest11"),
)


# npm runs these automatically; other scripts matter only if the test command runs them.
_ALWAYS_RUN = frozenset({"test", "pretest", "posttest"})
_TEST_SCRIPT = re.compile(r"(pre|post)?(test|check)\b.*")
_NODE_SECTIONS = ("jest", "mocha", "vitest", "ava")
_NPM_SETTINGS = re.compile(r"\s*(node-options|script-shell|ignore-scripts)\s*=\s*(.*?)\s*")
_VITE_TESTS = re.compile(r"\btest\b\s*[:(]|\bvitest\b")
_TARGETS = ("test", "tests", "check")


class UnreadableConfigError(Exception):
    """The file cannot be parsed, so a change in it counts as tampering."""


def changed_sections(path: str, base: str | None, patched: str | None) -> list[str]:
    """Names of the test sections that differ; added pytest markers are no difference."""
    before, after = _sections(path, base), _sections(path, patched)
    names = sorted(before.keys() | after.keys())
    changed = [n for n in names if not _same(before.get(n), after.get(n))]
    if name_of(path) == "package.json":
        return [n for n in changed if n in before or not _is_new_script(n)]
    return changed


def _sections(path: str, text: str | None) -> Sections:
    if text is None:
        return {}
    readers = (reader for names, reader in _READERS if names.fullmatch(name_of(path)))
    reader = next(readers, None)
    # Code, and small files that are only about tests, count as a whole.
    return reader(path, text) if reader else {name_of(path): text}


def _npmrc(_path: str, text: str) -> Sections:
    found = map(_NPM_SETTINGS.fullmatch, text.splitlines())
    return {match[1]: match[2] for match in found if match}


def _vite(path: str, text: str) -> Sections:
    return {name_of(path): text} if _VITE_TESTS.search(text) else {}


def _package(_path: str, text: str) -> Sections:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableConfigError from error
    found: Sections = {
        f"scripts.{name}": script
        for name, script in table(document, "scripts").items()
        if _TEST_SCRIPT.fullmatch(name)
    }
    sections = table(document)
    return found | {key: sections[key] for key in _NODE_SECTIONS if sections.get(key)}


def _is_new_script(section: str) -> bool:
    kind, _, name = section.partition(".")
    return kind == "scripts" and name not in _ALWAYS_RUN


def _targets(_path: str, text: str) -> Sections:
    """A Makefile's recipes as they would run; the rest is not about tests."""
    makefile = read_makefile(text)
    return {name: makefile[name] for name in _TARGETS if name in makefile}


def _ini(path: str, text: str) -> Sections:
    if (parser := read_ini(text)) is None:
        raise UnreadableConfigError
    found: Sections = {
        name: dict(parser[name]) for name in parser.sections() if _INI_SECTIONS.fullmatch(name)
    }
    plugins = parser.get("options.entry_points", "pytest11", fallback="")
    if plugins:
        found["options.entry_points"] = plugins
    # An empty pytest.ini still overrides every other configuration.
    return found or ({name_of(path): {}} if name_of(path).endswith("pytest.ini") else {})


def _toml(path: str, text: str) -> Sections:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableConfigError from error
    if name_of(path) != "pyproject.toml":
        return {name_of(path): document}
    found = {".".join(keys): table(document, *keys[:-1]).get(keys[-1]) for keys in _TOML_TABLES}
    return {name: section for name, section in found.items() if section}


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


_READERS: tuple[tuple[re.Pattern[str], Callable[[str, str], Sections]], ...] = (
    (re.compile(r".*\.toml"), _toml),
    (re.compile(r".*\.(ini|cfg)"), _ini),
    (re.compile(r"package\.json"), _package),
    (re.compile(r"\.npmrc"), _npmrc),
    (re.compile(r"(GNU)?[Mm]akefile"), _targets),
    (re.compile(r"vite\.config\..*"), _vite),
)
