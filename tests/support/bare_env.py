"""A Python environment with pytest and nothing else, as who installs Yudai has one.

Ours has plugins for our own tests: with them, each start of pytest takes four times as long.
"""

import atexit
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

_PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
_METADATA = ("pytest-[0-9]*", "pluggy-*")


@cache
def bare_env() -> Path:
    """Made once for each process, and removed with it."""
    # Not in pytest's own folder, which only its owner may enter: a sandbox has another user.
    folder = Path(tempfile.mkdtemp(prefix="bare-env-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    ours = Path(pytest.__file__).parents[1]
    for name in _PACKAGES:
        shutil.copytree(ours / name, packages / name)
    for pattern in _METADATA:
        for metadata in ours.glob(f"{pattern}.dist-info"):
            shutil.copytree(metadata, packages / metadata.name)
    shutil.copy(ours / "py.py", packages)
    return folder
