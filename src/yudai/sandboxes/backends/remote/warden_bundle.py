"""The warden as one file that any Python from 3.10 on can run: our modules and pathspec, zipped."""

import hashlib
import io
import zipfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from yudai.sandboxes.backends.warden.protocol import LIBRARY

_SANDBOXES = "yudai.sandboxes.backends"
_OURS = ("warden", "workspace")
_PARENTS = ("yudai", "yudai/sandboxes", "yudai/sandboxes/backends")
# Old Pythons must be able to read it, to say that they are too old.
_MAIN = b"""import sys
if sys.version_info < (3, 10):
    sys.stdout.write("yudai: the image's Python is %d.%d < 3.10\\n" % sys.version_info[:2])
    sys.exit(1)
if sys.argv[1:2] != ["init"]:
    # Where `init` has unpacked all this: compiled once, not each time.
    sys.path.insert(0, "LIBRARY")
from yudai.sandboxes.backends.warden.main import main
sys.exit(main(sys.argv[1:]))
""".replace(b"LIBRARY", LIBRARY.encode())


@cache
def content() -> bytes:
    """The same bytes from the same sources, on every machine."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name, text in sorted(_files().items()):
            file.writestr(zipfile.ZipInfo(name), text)
    return archive.getvalue()


@cache
def digest() -> str:
    """Names this edition of the warden."""
    return hashlib.sha256(content()).hexdigest()[:12]


def _files() -> dict[str, bytes]:
    ours = resources.files(_SANDBOXES)
    folder = _SANDBOXES.replace(".", "/")
    files = {f"{parent}/__init__.py": b"" for parent in _PARENTS}
    for name in _OURS:
        files |= _tree(f"{folder}/{name}", ours / name)
    return files | _tree("pathspec", resources.files("pathspec")) | {"__main__.py": _MAIN}


def _tree(name: str, folder: Traversable) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            found |= _tree(f"{name}/{entry.name}", entry)
        elif entry.name.endswith(".py"):
            found[f"{name}/{entry.name}"] = entry.read_bytes()
    return found
