"""Which Python of this machine a repository gets: ours when it fits, else the newest that does."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from yudai.kit.errors import RefusedError
from yudai.kit.hints import ENV
from yudai.sandboxes.backends.toolchain.host_folders import holds_python, in_system, listed

_NAME = re.compile(r"python3\.\d+\Z")
_PIN = re.compile(r"\d+(\.\d+){0,2}\Z")
_VERSION = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
_ASK_S = 20.0


def own_python() -> Path:
    """The interpreter that runs us, never a virtual environment's name for it."""
    major, minor = sys.version_info[:2]
    python = Path(sys.base_prefix).resolve() / "bin" / f"python{major}.{minor}"
    return python if python.exists() else Path(sys.executable).resolve()


def choose_python(asked: str, folders: Iterable[Path]) -> Path:
    """Raise RefusedError when no interpreter in those folders fits.

    A pin like `3.11.4` is met by another 3.11 where this very one is missing.
    """
    ours = Version(".".join(map(str, sys.version_info[:3])))
    found: dict[Path, Version] | None = None
    for wanted in _readings(asked.strip()):
        if wanted.contains(ours):
            return own_python()
        found = dict(_installed(folders)) if found is None else found
        fitting = [path for path, version in found.items() if wanted.contains(version)]
        if fitting:
            return max(fitting, key=found.__getitem__)
    raise RefusedError(
        f"this repository asks for Python {asked}, which is not on this machine: install it, or"
        " give an environment with ",
        ENV,
    )


def _readings(asked: str) -> list[SpecifierSet]:
    """What is asked for, the best reading first."""
    if not _PIN.match(asked):
        try:
            return [SpecifierSet(asked)]
        except InvalidSpecifier:
            message = f"cannot tell which Python {asked!r} means: write it like 3.12 or >=3.10,<4"
            raise RefusedError(message) from None
    parts = asked.split(".")
    broad = SpecifierSet(f"=={'.'.join(parts[:2])}.*")
    return [SpecifierSet(f"=={asked}"), broad] if len(parts) > len("XY") else [broad]


def _installed(folders: Iterable[Path]) -> Iterator[tuple[Path, Version]]:
    """Interpreters behind the names in those folders; a shim leads to none."""
    seen = set[Path]()
    for folder in folders:
        for name in listed(folder, "python3.*"):
            real = name.resolve()
            if real in seen or not (_NAME.match(name.name) and _NAME.match(real.name)):
                continue
            seen.add(real)
            if in_system(real) or holds_python(real.parent.parent):
                version = _version(real)
                if version is not None:
                    yield real, version


def _version(python: Path) -> Version | None:
    if not os.access(python, os.X_OK):
        return None
    try:
        said = subprocess.run(  # noqa: S603 - an interpreter of this machine, a fixed program
            [str(python), "-I", "-S", "-c", _VERSION],
            capture_output=True,
            text=True,
            check=True,
            timeout=_ASK_S,
            env={},
            cwd="/",
        ).stdout
        return Version(said.strip())
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
