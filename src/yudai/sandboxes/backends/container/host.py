"""Podman's own filter of system calls, made as strict as docker's is, and a little stricter.

It lets a container have user namespaces of its own, the kernel's keys, mounts in them and sockets
that no network namespace keeps in. No build or test needs these.
"""

import asyncio
import json
import os
import secrets
from pathlib import Path
from typing import Any, NamedTuple

from yudai.kit.errors import SandboxError
from yudai.kit.untyped import Object, as_items, as_object
from yudai.sandboxes.backends.container.engine import Engine, find_engine

_ALLOW, _ERRNO = "SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"
_EPERM, _ENOSYS = 1, 38
_NEW_USER_NAMESPACE = 0x10000000
_VIRTUAL_MACHINES = 40
"""A family of sockets: it leads from this machine, if it is a virtual one, to what runs it."""
_DENIED = (
    *("add_key", "keyctl", "request_key"),
    *("bpf", "userfaultfd", "perf_event_open", "name_to_handle_at", "open_by_handle_at"),
    *("mount", "umount", "umount2", "pivot_root", "setns", "kexec_load", "kexec_file_load"),
    *("fsconfig", "fsmount", "fsopen", "fspick", "mount_setattr", "move_mount", "open_tree"),
)
# Libraries do without: no filter sees the work of the first, the flags of clone3, or what is below
# socketcall.
_ABSENT = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "socketcall")
_LIMITED = ("clone", "unshare", "socket")
_OURS = frozenset((*_DENIED, *_ABSENT, *_LIMITED))


def stricter(profile: Object) -> Object | None:
    """The same without what we deny; None when it is not a list of what is allowed."""
    if profile.get("defaultAction") != _ERRNO:
        return None
    kept = [_without_ours(as_object(rule)) for rule in as_items(profile.get("syscalls"))]
    return {**profile, "syscalls": [*(rule for rule in kept if rule["names"]), *_rules()]}


def _without_ours(rule: Object) -> Object:
    return {**rule, "names": [n for n in as_items(rule.get("names")) if n not in _OURS]}


def _rules() -> list[Object]:
    no_namespace = _argument("SCMP_CMP_MASKED_EQ", _NEW_USER_NAMESPACE)
    return [
        {"names": list(_DENIED), "action": _ERRNO, "errnoRet": _EPERM},
        {"names": list(_ABSENT), "action": _ERRNO, "errnoRet": _ENOSYS},
        {"names": ["clone", "unshare"], "action": _ALLOW, "args": [no_namespace]},
        *(
            {"names": ["socket"], "action": _ALLOW, "args": [_argument(way, _VIRTUAL_MACHINES)]}
            for way in ("SCMP_CMP_LT", "SCMP_CMP_GT")
        ),
    ]


def _argument(way: str, value: int) -> dict[str, Any]:
    return {"index": 0, "value": value, "valueTwo": 0, "op": way}


_HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"


class HostSetup(NamedTuple):
    engine: Engine
    hosts: Path | None = None
    """Podman would show names and addresses of the host's own /etc/hosts."""
    seccomp: Path | None = None
    """Podman's own profile allows more than docker's."""


async def find_host_setup(wanted: str | None, home: Path) -> HostSetup:
    engine = await find_engine(wanted)
    host = as_object(engine.facts.get("host"))
    if not engine.is_podman or host.get("serviceIsRemote"):
        return HostSetup(engine)
    try:
        return await asyncio.to_thread(_furnish, engine, home)
    except OSError as error:
        raise SandboxError(f"cannot write for containers: {error}") from error


def _furnish(engine: Engine, home: Path) -> HostSetup:
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    security = as_object(as_object(engine.facts.get("host")).get("security"))
    profile = _profile(str(security.get("seccompProfilePath", "")))
    seccomp = None
    if profile is not None and security.get("seccompEnabled"):
        seccomp = _write(home / "seccomp.json", profile)
    return HostSetup(engine.called_in(home), _write(home / "hosts", _HOSTS), seccomp)


def _profile(path: str) -> str | None:
    try:
        ours = stricter(as_object(json.loads(Path(path).read_bytes())))
    except (OSError, ValueError):
        return None
    return None if ours is None else json.dumps(ours)


def _write(path: Path, text: str) -> Path:
    """Write atomically: our other processes write it too, and containers read it."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with open(file, "w") as writer:  # noqa: PTH123 - a descriptor
        writer.write(text)
    draft.chmod(0o644)
    return draft.replace(path)
