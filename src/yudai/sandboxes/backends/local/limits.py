"""Limits of a sandbox that hold without a control group, and what is promised with one."""

import os
import platform
import resource

from yudai.sandboxes.backends.local.cgroups import Cgroup
from yudai.sandboxes.domain.guarantees import Kept
from yudai.sandboxes.port import SandboxLimits

_NPROC_PER_NAMESPACE = (5, 14)
_BLOCK = 512
_KIB = 1024


def ulimits(limits: SandboxLimits, cgroup: Cgroup) -> tuple[str, str]:
    """File size and data, as the runner's shell counts them."""
    size = _at_most(resource.RLIMIT_FSIZE, limits.disk_bytes)
    if cgroup.memory is not None:
        return str(size // _BLOCK), "unlimited"
    # Data, not the address space: Node, Java and Go reserve far more of that than they use.
    return str(size // _BLOCK), str(_at_most(resource.RLIMIT_DATA, limits.memory_bytes) // _KIB)


def limit_processes(pid: int, limits: SandboxLimits, cgroup: Cgroup) -> None:
    """Without a control group, count a sandbox's processes by its user namespace."""
    if cgroup.pids is None and counts_processes():
        n = _at_most(resource.RLIMIT_NPROC, limits.processes)
        resource.prlimit(pid, resource.RLIMIT_NPROC, (n, n))


def counts_processes() -> bool:
    """Whether RLIMIT_NPROC counts a user namespace's processes alone; root is never limited."""
    major, minor = platform.release().split(".")[:2]
    digits = "".join(c for c in minor if c.isdigit())
    return os.getuid() != 0 and (int(major), int(digits or 0)) >= _NPROC_PER_NAMESPACE


def processors(limits: SandboxLimits, cgroup: Cgroup) -> Kept:
    """The promise about processors; there is no way to keep it without a control group."""
    how = "no writable cgroup: whatever the host's other processes leave"
    if cgroup.cpu is not None:
        how = f"cgroup: the time of {limits.processors:g} for a sandbox"
    return cgroup.cpu is not None, how


def outlived(lifetime_s: float) -> str:
    minutes = f"{lifetime_s / 60:g}"
    return f"the sandbox was ended after {minutes} minutes, as SANDBOX_LIFETIME_MINUTES says"


def _at_most(kind: int, wanted: int) -> int:
    """What is wanted, or what is left of it under our own hard limit."""
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
