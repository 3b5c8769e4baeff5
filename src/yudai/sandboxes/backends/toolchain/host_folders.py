"""Folders of the host: what every sandbox sees anyway, what may be shown, and where to look."""

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

_SYSTEM = tuple(Path(p) for p in ("/usr", "/bin", "/sbin", "/lib", "/lib64"))
_USUAL = (Path("/usr/local/bin"), Path("/usr/bin"))
_VERSIONED = (".pyenv/versions", ".local/share/uv/python", ".local/share/mise/installs/python")


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
    """Where programs are, besides a person's PATH."""
    yield from _USUAL
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    for folder in _VERSIONED:
        yield from listed(home / folder, "*/bin")
