"""The container engine of this machine, where there is one that has our image."""

import asyncio
import shutil
import subprocess
from functools import cache

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.container.engine import find_engine
from yudai.sandboxes.backends.container.flags import LABEL
from yudai.sandboxes.backends.remote.cloud import INSTALLATION
from yudai.settings import Settings


def is_there() -> bool:
    """An engine that answers, and the image: deploy/sandbox builds it."""
    words = _words()
    if not words or shutil.which(words[0]) is None:
        return False
    return _call("image", "inspect", Settings().container_image).returncode == 0


def containers(installation: str) -> set[str]:
    """The names of all, whatever their state."""
    wanted = f"label={LABEL}{INSTALLATION}={installation}"
    said = _call("ps", "--all", "--filter", wanted, "--format", "{{.Names}}")
    assert said.returncode == 0, said.stderr
    return set(said.stdout.split())


def clear(installation: str) -> None:
    """Containers and prepared bases: tests leave nothing to the machine that they run on."""
    for name in containers(installation):
        _call("rm", "--force", "--volumes", name)
    wanted = f"label={LABEL}{INSTALLATION}={installation}"
    for image in _call("images", "--quiet", "--filter", wanted).stdout.split():
        _call("rmi", "--force", image)


def _call(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [*_words(), *words]
    return subprocess.run(argv, check=False, capture_output=True, text=True, timeout=120)


@cache
def _words() -> tuple[str, ...]:
    """The same that the adapter takes; () where none works."""
    try:
        return asyncio.run(find_engine(Settings().container_engine)).argv
    except SandboxError:
        return ()
