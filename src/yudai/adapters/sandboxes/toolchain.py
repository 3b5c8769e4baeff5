"""Which Python a box gets: the base's environment and the interpreter behind it."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from yudai.domain.errors import RefusedError

_SYSTEM = tuple(Path(p) for p in ("/usr", "/bin", "/sbin", "/lib", "/lib64"))
_MAX_LINKS = 40


class Toolchain(NamedTuple):
    """Only folders that hold a Python and nothing else are ever shown."""

    env: Path | None
    """The base's Python environment on the host."""
    binds: tuple[tuple[Path, Path], ...]
    """Source and place of the interpreter's folder, under each name it goes by."""
    links: tuple[tuple[Path, Path], ...]
    """Target and place of links on the way to it."""
    path: tuple[Path, ...]


def find(env: Path | None) -> Toolchain:
    """Resolve an environment; without one, the interpreter that runs us is used."""
    if env is None:
        prefix = Path(sys.base_prefix).resolve()
        if _in_system(prefix):
            return Toolchain(None, (), (), ())
        return Toolchain(None, ((prefix, prefix),), (), (prefix / "bin",))
    env = env.absolute()
    if not _is_python(env):
        raise RefusedError(f"not a Python environment: {env}")
    binds: dict[Path, Path] = {}
    links: dict[Path, Path] = {}
    for start in (env / "bin" / "python", *_home(env)):
        _follow(start, binds=binds, links=links)
    outside = {place: source for place, source in binds.items() if source != env.resolve()}
    return Toolchain(
        env,
        tuple((source, place) for place, source in outside.items()),
        tuple((target, place) for place, target in links.items()),
        (env / "bin",),
    )


def _follow(python: Path, *, binds: dict[Path, Path], links: dict[Path, Path]) -> None:
    """Note each step from a link to the interpreter that it ends at."""
    real = python.resolve().parent.parent
    if _in_system(real):
        return
    if not _is_python(real):
        raise RefusedError(f"not a Python installation: {real}")
    binds[real] = real
    for _ in range(_MAX_LINKS):
        prefix = python.parent.parent
        if prefix.resolve() == real:
            binds[prefix] = real
        elif python.is_symlink() and not _in_system(python) and not _is_python(prefix):
            links[python] = python.readlink()
        if not python.is_symlink():
            return
        python = Path(os.path.normpath(python.parent / python.readlink()))


def _home(env: Path) -> list[Path]:
    """The interpreter that a virtual environment names as its own."""
    config = env / "pyvenv.cfg"
    lines = config.read_text().splitlines() if config.is_file() else []
    pairs = [(key.strip(), value.strip()) for key, _, value in (x.partition("=") for x in lines)]
    return [Path(value) / "python3" for key, value in pairs if key == "home"]


def _is_python(prefix: Path) -> bool:
    """A home folder with a `bin/python` in it must not pass for one."""
    if not (prefix / "bin").is_dir():
        return False
    libraries = [*prefix.glob("lib/python3*"), *prefix.glob("lib64/python3*")]
    return (prefix / "pyvenv.cfg").is_file() or bool(libraries)


def _in_system(path: Path) -> bool:
    return path == Path("/") or any(path.is_relative_to(p) for p in _SYSTEM)
