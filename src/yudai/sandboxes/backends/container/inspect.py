"""Reads what podman and docker say about themselves and about containers."""

import hashlib
import re
from datetime import datetime
from typing import NamedTuple

from yudai.kit.untyped import Object, as_items, as_object
from yudai.sandboxes.backends.container.flags import tags_of
from yudai.sandboxes.backends.remote.cloud import Found
from yudai.sandboxes.domain.guarantees import GuaranteeKind, Kept

_NAME = 64
_DELEGATE = "let its user have the controllers (Delegate=cpu memory pids), or run it as root"


class Host(NamedTuple):
    rootless: bool
    controllers: frozenset[str]
    """What it can limit of a container: cpu, memory, pids."""
    driver: str
    """Of its storage."""


def host_of(facts: Object) -> Host:
    return _podman(facts) if "host" in facts else _docker(facts)


def name_of(facts: Object) -> str:
    """Of whose images they are: a host's, and where podman is a user's, that user's."""
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
    calls = ", but its riskiest calls are denied" if is_filtered else ""
    return {
        "files": (
            True,
            f"own root, read-only; only /workspace, /home/agent and temporary folders are writable;"
            f" the container's root is the host's {who}, and commands are not root",
        ),
        "environment": (True, "cleared; a fixed list is set"),
        "network": (True, "none; hosts that are allowed are reached through a proxy of ours"),
        "processes": (True, "own namespace; the agent's are killed after each command"),
        "memory": _held(host, "memory"),
        "process count": _held(host, "pids"),
        "processors": _held(host, "cpu"),
        "disk": (
            True,
            "a file by its size, temporary folders by theirs; the workspace is measured every few"
            f" seconds (storage: {host.driver or 'unknown'})",
        ),
        "time": (True, "a command is killed with all it started, and its output so far is kept"),
        "output": (True, "capped in the container; head and tail are kept"),
        "kernel": (False, f"the host's own: no wall against its bugs{calls}"),
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
    return False, f"the engine has no cgroup for it: {_DELEGATE}"


def _seconds(moment: str) -> float | None:
    """Both write nanoseconds, which Python does not read."""
    head, _, tail = moment.partition(".")
    zone = tail.lstrip("0123456789") if tail else ""
    try:
        return datetime.fromisoformat(f"{head}{zone.replace('Z', '+00:00')}").timestamp()
    except ValueError:
        return None
