"""The command line of a container, with the flags that isolate it."""

import os
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from yudai.sandboxes.backends.remote.cloud import INSTALLATION, MachineSpec
from yudai.sandboxes.port import SandboxLimits

LABEL = "yudai."
"""Prefix of our tags among an image's own labels."""
SOCKET_FOLDER = "/run/doors"
"""Folder of the proxy's socket in a container."""
NAMES = "/run/nscd"
"""Folder in which glibc looks up names; /var/run is a link to /run."""

# Our warden is root in its container: it becomes the agent, ends what that started, and owns what
# the agent may not change. The agent itself has none of these.
_WARDENS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
# Filled by the engine with what the base has there, and removed with their container.
_KEPT = ("/workspace", "/home/agent", "/var/lib/yudai")
_FILES = 4096
_MOST_PROCESSES = 1 << 15
_RUN_BYTES = 16 << 20
# A waiting shell reaps orphans, which would otherwise count against the process limit forever.
_MAIN = 'sleep "$1" & while kill -0 $! 2>/dev/null; do wait $!; done'
_GRACE_S = 60
_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy")


@dataclass(frozen=True)
class Setting:
    """Settings of the containers, besides each one's spec."""

    image: str
    is_built: bool = False
    """Whether the image is a prepared base, so that its root can be read-only."""
    is_podman: bool = True
    local_sockets: Path | None = None
    """A folder for SOCKET_FOLDER."""
    names: Path | None = None
    """A folder for NAMES."""
    hosts: Path | None = None
    """A file for /etc/hosts, where the engine would show the host's own."""
    seccomp: Path | None = None
    """A profile that is stricter than the engine's own."""


def run_words(machine_spec: MachineSpec, setting: Setting) -> list[str]:
    seccomp = ("--security-opt", f"seccomp={setting.seccomp}") if setting.seccomp else ()
    return [
        *("run", "--detach", "--rm", "--name", machine_spec.key, "--pull", "never"),
        *_labels(machine_spec.tags),
        *("--user", "0:0", "--hostname", "sandbox", "--workdir", "/"),
        *("--network", "none", "--ipc", "private", "--log-driver", "none", "--no-healthcheck"),
        # Process 1 is deaf to anything milder, and the engine would wait for it.
        *("--stop-signal", "SIGKILL", "--stop-timeout", "0"),
        *("--security-opt", "no-new-privileges", *seccomp, "--cap-drop", "ALL"),
        *(word for cap in _WARDENS for word in ("--cap-add", cap)),
        *_sizes(machine_spec.limits),
        *(_places(machine_spec.limits) if setting.is_built else ()),
        *_mounts(setting),
        *_no_proxies(setting),
        *("--entrypoint", "/bin/sh", setting.image, "-c", _MAIN, "main"),
        str(int(machine_spec.limits.lifetime_s) + _GRACE_S),
    ]


def commit_words(tags: Mapping[str, str], container: str, image: str) -> list[str]:
    """Containers have the labels of their image: those of the builder are not theirs."""
    kept = {**dict.fromkeys(tags, ""), INSTALLATION: tags.get(INSTALLATION, "")}
    changes = [f'LABEL {LABEL}{name}="{value}"' for name, value in kept.items()]
    return ["commit", *(w for change in changes for w in ("--change", change)), container, image]


def tags_of(labels: Mapping[str, object]) -> dict[str, str]:
    return {
        name.removeprefix(LABEL): str(value)
        for name, value in labels.items()
        if name.startswith(LABEL) and value
    }


def _labels(tags: Mapping[str, str]) -> list[str]:
    return [word for name, value in tags.items() for word in ("--label", f"{LABEL}{name}={value}")]


def _sizes(limits: SandboxLimits) -> list[str]:
    memory = f"{limits.memory_bytes}b"
    # Docker refuses to promise more than there are.
    processors = min(limits.processors, os.cpu_count() or limits.processors)
    return [
        *("--pids-limit", str(limits.processes), "--cpus", f"{processors:g}"),
        *("--memory", memory, "--memory-swap", memory),
        *("--shm-size", f"{limits.memory_bytes // 8}b"),
        *("--ulimit", _within("nofile", resource.RLIMIT_NOFILE, _FILES), "--ulimit", "core=0:0"),
        *("--ulimit", f"fsize={limits.disk_bytes}:{limits.disk_bytes}"),
        # Far above what a container may have: its group limits it, and this counts all together.
        *("--ulimit", _within("nproc", resource.RLIMIT_NPROC, _MOST_PROCESSES)),
    ]


def _within(name: str, kind: int, wanted: int) -> str:
    """A rootless engine cannot request more than it has itself."""
    hard = resource.getrlimit(kind)[1]
    most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    return f"{name}={most}:{most}"


def _places(limits: SandboxLimits) -> list[str]:
    """Only these are writable; files in memory count as memory.

    While a base is built there are none of them, because its tree becomes a layer of its image.
    """
    half = min(limits.disk_bytes, limits.memory_bytes // 2)
    open_to_all = f"rw,nosuid,nodev,exec,mode=1777,size={half}"
    return [
        "--read-only",
        *(word for folder in _KEPT for word in ("--volume", folder)),
        *("--tmpfs", f"/tmp:{open_to_all}", "--tmpfs", f"/var/tmp:{open_to_all}"),  # noqa: S108 - inside the container
        *("--tmpfs", f"/run:rw,nosuid,nodev,noexec,mode=755,size={_RUN_BYTES}"),
    ]


def _mounts(setting: Setting) -> list[str]:
    """Read-only mounts only, and never an engine's socket."""
    shown = {
        setting.local_sockets: SOCKET_FOLDER,
        setting.names: NAMES,
        setting.hosts: "/etc/hosts",
    }
    return [w for own, seen in shown.items() if own for w in ("--volume", f"{own}:{seen}:ro,z")]


def _no_proxies(setting: Setting) -> list[str]:
    """Engines would pass on the host's settings, including passwords."""
    if setting.is_podman:
        return ["--http-proxy=false"]
    names = [*_PROXIES, *(name.upper() for name in _PROXIES)]
    return [word for name in names for word in ("--env", f"{name}=")]
