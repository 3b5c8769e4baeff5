"""An engine that answers, and the files of ours that its containers need."""

import asyncio
import json
import os
import secrets
from pathlib import Path
from typing import NamedTuple

from yudai.kit.errors import SandboxError
from yudai.kit.untyped import as_object
from yudai.sandboxes.backends.container.engine import Engine, find_engine
from yudai.sandboxes.backends.container.host import stricter

_HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"


class Ground(NamedTuple):
    engine: Engine
    hosts: Path | None = None
    """Podman would show names and addresses of the host's own /etc/hosts."""
    seccomp: Path | None = None
    """Podman's own profile allows more than docker's."""


async def find_ground(wanted: str | None, home: Path) -> Ground:
    engine = await find_engine(wanted)
    host = as_object(engine.facts.get("host"))
    if not engine.is_podman or host.get("serviceIsRemote"):
        return Ground(engine)
    try:
        return await asyncio.to_thread(_furnish, engine, home)
    except OSError as error:
        raise SandboxError(f"cannot write for containers: {error}") from error


def _furnish(engine: Engine, home: Path) -> Ground:
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    security = as_object(as_object(engine.facts.get("host")).get("security"))
    profile = _profile(str(security.get("seccompProfilePath", "")))
    seccomp = None
    if profile is not None and security.get("seccompEnabled"):
        seccomp = _write(home / "seccomp.json", profile)
    return Ground(engine.called_in(home), _write(home / "hosts", _HOSTS), seccomp)


def _profile(path: str) -> str | None:
    try:
        ours = stricter(as_object(json.loads(Path(path).read_bytes())))
    except (OSError, ValueError):
        return None
    return None if ours is None else json.dumps(ours)


def _write(path: Path, text: str) -> Path:
    """Whole or not at all: other processes of ours do the same, and containers see it."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with open(file, "w") as writer:  # noqa: PTH123 - a descriptor
        writer.write(text)
    draft.chmod(0o644)
    return draft.replace(path)
