"""Which new files are nobody's edit: caches, and what the base's .gitignore files name."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pathspec import GitIgnoreSpec

DEFAULTS = (
    "__pycache__/",
    "*.py[cod]",
    "*.egg-info/",
    ".coverage",
    ".coverage.*",
    ".hypothesis/",
    ".mypy_cache/",
    ".nox/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".tox/",
    ".venv/",
    "node_modules/",
    ".DS_Store",
    "*.swp",
)

_STARS = re.compile(r"\*+")
_MAX_STARS = 4
_MAX_PATH = 512
_MAX_REMEMBERED = 100_000


class _Rules(NamedTuple):
    folder: str
    """"" or a path that ends in a slash: the rules hold below it."""
    spec: GitIgnoreSpec


class Ignoring:
    """Git's rules: the deepest file that says something decides, then our own list."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """`files` are the texts of .gitignore files by the folder they are in ("" or "a/b/")."""
        rules = [_Rules(folder, _spec(text.splitlines())) for folder, text in files.items()]
        self._rules = sorted(rules, key=lambda r: len(r.folder), reverse=True)
        self._rules.append(_Rules("", _spec(DEFAULTS)))
        self._remembered: dict[str, bool] = {}

    def covers(self, path: str) -> bool:
        """`path` ends in a slash for a folder; its own folder must not be covered already."""
        known = self._remembered.get(path)
        if known is None:
            known = self._decide(path)
            if len(self._remembered) < _MAX_REMEMBERED:
                self._remembered[path] = known
        return known

    def _decide(self, path: str) -> bool:
        if len(path) > _MAX_PATH:
            return False
        for folder, spec in self._rules:
            if path.startswith(folder):
                decision = spec.check_file(path[len(folder) :]).include
                if decision is not None:
                    return decision
        return False


def _spec(lines: "list[str] | tuple[str, ...]") -> GitIgnoreSpec:
    # The more stars, the longer a hostile pattern can keep a hostile name busy.
    lines = [line for line in lines if len(_STARS.findall(line)) <= _MAX_STARS]
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_valid(line)])


def _is_valid(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
