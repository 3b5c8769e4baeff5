"""Programs of a sandbox: the base's environment, its interpreter, and Node."""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import uv

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.sandboxes.backends.toolchain.host_programs import (
    choose_node,
    choose_python,
    holds_python,
    in_system,
    node_folders,
    node_scripts,
    own_python,
    usual_folders,
)
from yudai.sandboxes.backends.trees import build_once
from yudai.sandboxes.port import ENV, BaseSpec

_MAX_LINKS = 40


class Chosen(Value):
    """The host's programs that a base needs."""

    python: Path | None = None
    """None: the one of the base's environment."""
    node: Path | None = None

    @property
    def are_there(self) -> bool:
        return all(path is None or path.exists() for path in (self.python, self.node))


class Toolchain(NamedTuple):
    """Only folders that contain just a Python or a Node are mounted."""

    env: Path | None = None
    """The base's environment on the host."""
    made: bool = False
    """Whether the base's set-up has made it: then it has no other name in sandboxes than /env."""
    closed: bool = True
    """Whether sandboxes can only read it; while set-up makes it, they can write it too."""
    virtual: bool = True
    """Whether it is a Python environment."""
    binds: tuple[tuple[Path, Path], ...] = ()
    """Source and place of an interpreter's folder, under each name it goes by."""
    links: tuple[tuple[Path, Path], ...] = ()
    """Target and place of links on the way to it."""
    path: tuple[Path, ...] = ()
    """Folders of programs, besides the environment's own."""
    scripts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Programs that need another name or an argument, by the name they get."""
    tools: Path | None = None
    """Folder of those scripts, once written."""


def choose(spec: BaseSpec, path: Iterable[Path]) -> Chosen:
    """Find fitting programs on that path and in the usual folders; RefusedError if none fit."""
    folders = [*path, *usual_folders()]
    python = None
    if spec.env is None:
        python = choose_python(spec.python, folders) if spec.python else own_python()
    return Chosen(python=python, node=choose_node(folders) if spec.node else None)


def interpreter(env: Path | None, chosen: Chosen | None = None) -> str:
    """A Python that a sandbox of `find` always has, by its name there."""
    return f"{ENV}/bin/python" if env else str((chosen or Chosen()).python or own_python())


def find(env: Path | None, chosen: Chosen | None = None, *, made: Path | None = None) -> Toolchain:
    """Resolve a host's environment, or else the chosen interpreter and what set-up `made`."""
    chosen = chosen or Chosen()
    tools = _interpreter(chosen.python or own_python()) if env is None else _environment(env)
    if made is not None:
        virtual = os.path.lexists(made / "bin/python")
        tools = tools._replace(env=made, made=True, virtual=virtual)
    if chosen.node is None or in_system(chosen.node):
        return tools
    return tools._replace(
        binds=(*tools.binds, *((path, path) for path in node_folders(chosen.node))),
        path=(*tools.path, chosen.node.parent),
        scripts=(*tools.scripts, *node_scripts(chosen.node).items()),
    )


def _interpreter(python: Path) -> Toolchain:
    if in_system(python):
        names = dict.fromkeys(("python", "python3", python.name), (str(python),))
        return Toolchain(scripts=tuple(names.items()))
    prefix = python.parent.parent
    if not holds_python(prefix):
        raise RefusedError(f"not a Python installation: {prefix}")
    return Toolchain(binds=((prefix, prefix),), path=(prefix / "bin",))


def _environment(env: Path) -> Toolchain:
    env = env.absolute()
    if not holds_python(env):
        raise RefusedError(f"not a Python environment: {env}")
    binds: dict[Path, Path] = {}
    links: dict[Path, Path] = {}
    for start in (env / "bin" / "python", *_home(env)):
        _follow(start, binds=binds, links=links)
    outside = {place: source for place, source in binds.items() if source != env.resolve()}
    return Toolchain(
        env,
        binds=tuple((source, place) for place, source in outside.items()),
        links=tuple((target, place) for place, target in links.items()),
    )


def _follow(python: Path, *, binds: dict[Path, Path], links: dict[Path, Path]) -> None:
    """Note each step from a link to the interpreter that it ends at."""
    real = python.resolve().parent.parent
    if in_system(real):
        return
    if not holds_python(real):
        raise RefusedError(f"not a Python installation: {real}")
    binds[real] = real
    for _ in range(_MAX_LINKS):
        prefix = python.parent.parent
        if prefix.resolve() == real:
            binds[prefix] = real
        elif python.is_symlink() and not in_system(python) and not holds_python(prefix):
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


def furnish(toolchain: Toolchain, store: Path) -> Toolchain:
    """Write its scripts, unless they are there; returns it with their folder."""
    if not toolchain.scripts:
        return toolchain

    def write(folder: Path) -> None:
        for script, words in toolchain.scripts:
            (folder / script).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            (folder / script).chmod(0o755)

    return toolchain._replace(tools=build_once(store, toolchain.scripts, write))


def own_uv() -> Path | None:
    """A dependency that an installation may lack."""
    try:
        return Path(uv.find_uv_bin())
    except FileNotFoundError:
        return None
