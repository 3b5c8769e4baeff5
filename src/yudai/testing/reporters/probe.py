"""Prints facts about a repository's tests as one line of JSON; imports none of its code."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

SKIPPED = {"node_modules", "site-packages", "build", "dist", "venv", "env", "__pycache__"}
MAX_FILES = 5000
MAX_BYTES = 200_000
TEST_FILE = re.compile(r"test.*\.py|.*_test\.py|conftest\.py")
SECTIONS = {"pyproject.toml": "[tool.pytest", "setup.cfg": "[tool:pytest]", "tox.ini": "[pytest]"}
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
CONFIGS = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")


def look_around() -> tuple[list[Path], bool]:
    """The files that are tests by their name, and whether there is any Python file."""
    found: list[Path] = []
    has_python = False
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        found += [Path(folder, name) for name in sorted(names) if TEST_FILE.fullmatch(name)]
        has_python = has_python or any(name.endswith(".py") for name in names)
        if len(found) >= MAX_FILES:
            break
    return found[:MAX_FILES], has_python


def text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def shown(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def is_configured() -> bool:
    sections = any(section in text_of(Path(name)) for name, section in SECTIONS.items())
    return sections or any(Path(name).is_file() for name in CONFIGS)


def main() -> None:
    files, has_python = look_around()
    texts = {path: text_of(path) for path in files}
    folders = {folder for path in texts for folder in path.parents}
    facts = {
        "has_pytest": importlib.util.find_spec("pytest") is not None,
        "configured": is_configured() or any(path.name == "conftest.py" for path in texts),
        "uses_pytest": any(
            re.search(r"^\s*(import|from) pytest\b|^(async )?def test", text, re.MULTILINE)
            for text in texts.values()
        ),
        "tests": [shown(path) for path in texts if path.name != "conftest.py"],
        "unittest": [
            shown(path)
            for path, text in texts.items()
            if re.search(r"^\s*class .*TestCase\b", text, re.MULTILINE)
        ],
        "manifest": any(Path(name).is_file() for name in MANIFESTS),
        "has_python": has_python,
        "packages": sorted(shown(f) for f in folders if (f / "__init__.py").is_file()),
    }
    sys.stdout.write(json.dumps(facts) + "\n")


if __name__ == "__main__":
    main()
