"""What the container engine of this host reports, and what it needs from us.

Podman's own filter of system calls is made as strict as docker's is, and a little stricter: it lets
a container have user namespaces of its own, the kernel's keys, mounts in them and sockets that no
network namespace keeps in. No build or test needs these.
"""

import asyncio
import hashlib
import json
import os
import re
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from yudai.kit.errors import SandboxError
from yudai.kit.untyped import Object, as_items, as_object
from yudai.sandboxes.backends.container.engine import Engine, find_engine
from yudai.sandboxes.backends.container.flags import tags_of
from yudai.sandboxes.backends.remote.cloud import Found
from yudai.sandboxes.domain.guarantees import GuaranteeKind, Kept

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
_HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"
_NAME = 64
_DELEGATE = "delegate the controllers to its user (Delegate=cpu memory pids), or run it as root"
_OURS = frozenset((*_DENIED, *_ABSENT, *_LIMITED))


def stricter(profile: Object) -> Object | None:
    """The profile without the denied calls; None if it is not a list of allowed ones."""
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
        raise SandboxError(f"cannot create the folder for containers: {error}") from error


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


class Host(NamedTuple):
    rootless: bool
    controllers: frozenset[str]
    """Limits that the engine supports: cpu, memory, pids."""
    driver: str
    """The storage driver."""


def host_of(facts: Object) -> Host:
    return _podman(facts) if "host" in facts else _docker(facts)


def name_of(facts: Object) -> str:
    """Names the owner of the images: the host, and where podman is a user's, that user."""
    host, store = as_object(facts.get("host")), as_object(facts.get("store"))
    name = str(host.get("hostname") or facts.get("Name") or "host")
    own = store.get("graphRoot") or facts.get("ID") or facts.get("DockerRootDir")
    digest = hashlib.sha256(str(own).encode()).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9.-]', '-', name)[:_NAME]}-{digest[:8]}"


def found_of(one: Object) -> Found:
    """A container as `inspect` shows it; the same for both engines."""
    name = str(one.get("Name", "")).lstrip("/")
    state = str(as_object(one.get("State")).get("Status", "unknown"))
    labels = as_object(as_object(one.get("Config")).get("Labels"))
    return Found(name, tags_of(labels), state, _seconds(str(one.get("Created", ""))))


def kept(host: Host, *, is_filtered: bool) -> dict[GuaranteeKind, Kept]:
    """`is_filtered`: whether we know that the riskiest system calls are denied."""
    who = "an ordinary user" if host.rootless else "root, with few of its rights"
    calls = ", but the riskiest system calls are denied" if is_filtered else ""
    return {
        "files": (
            True,
            f"own read-only root; only /workspace, /home/agent and temporary folders are writable;"
            f" the container's root is the host's {who}, and commands are not root",
        ),
        "environment": (True, "cleared; a fixed list is set"),
        "network": (True, "none; allowed hosts are reached through Yudai's proxy"),
        "processes": (True, "own namespace; the agent's processes are killed after each command"),
        "memory": _held(host, "memory"),
        "process count": _held(host, "pids"),
        "processors": _held(host, "cpu"),
        "disk": (
            True,
            "files and temporary folders have a maximum size; the workspace is measured every few"
            f" seconds (storage: {host.driver or 'unknown'})",
        ),
        "time": (True, "a command is killed with its child processes; its output is kept"),
        "output": (True, "capped in the container; head and tail are kept"),
        "kernel": (False, f"the host's own: no protection against its bugs{calls}"),
    }


def _podman(facts: Object) -> Host:
    host = as_object(facts.get("host"))
    return Host(
        rootless=bool(as_object(host.get("security")).get("rootless")),
        controllers=frozenset(map(str, as_items(host.get("cgroupControllers")))),
        driver=str(as_object(facts.get("store")).get("graphDriverName", "")),
    )


def _docker(facts: Object) -> Host:
    limits = {"memory": "MemoryLimit", "cpu": "CpuCfsQuota", "pids": "PidsLimit"}
    return Host(
        rootless=any("rootless" in str(one) for one in as_items(facts.get("SecurityOptions"))),
        controllers=frozenset(name for name, fact in limits.items() if facts.get(fact)),
        driver=str(facts.get("Driver", "")),
    )


def _held(host: Host, controller: str) -> Kept:
    if controller in host.controllers:
        return True, "cgroup: of each container"
    return False, f"the engine cannot limit it: {_DELEGATE}"


def _seconds(moment: str) -> float | None:
    """Both write nanoseconds, which Python does not read."""
    head, _, tail = moment.partition(".")
    zone = tail.lstrip("0123456789") if tail else ""
    try:
        return datetime.fromisoformat(f"{head}{zone.replace('Z', '+00:00')}").timestamp()
    except ValueError:
        return None
