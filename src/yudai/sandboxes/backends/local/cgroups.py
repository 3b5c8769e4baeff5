"""Limits of a sandbox: through control groups, version 1 or 2, or without them."""

import os
import platform
import resource
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from yudai.sandboxes.domain.guarantees import Kept
from yudai.sandboxes.port import SandboxLimits

_NEEDED = ("memory", "pids")
_CONTROLLERS = (*_NEEDED, "cpu")
_PERIOD_US = 100_000
_LEAST_US = 1000
# What a nice value of 10 is, in what each version counts.
_WEIGHTS = (("cpu.shares", 110), ("cpu.weight", 11))
_OOM_FILES = ("memory.events", "memory.oom_control")
_OOM_BYTES = 4096
_NPROC_PER_NAMESPACE = (5, 14)
"""The kernel from which on RLIMIT_NPROC counts for each user namespace."""
_BLOCK = 512
_KIB = 1024

_Settings = Sequence[tuple[str, object]]


class Cgroup(NamedTuple):
    """The groups of one sandbox; each may be missing."""

    memory: Path | None = None
    pids: Path | None = None
    cpu: Path | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(folder for folder in self if folder is not None))

    @property
    def entrances(self) -> tuple[Path, ...]:
        """Files where a single-threaded process writes 0 to get in."""
        # Writing 0 to version 1's `tasks` takes no global lock, unlike `cgroup.procs`.
        return tuple(
            f / "tasks" if (f / "tasks").exists() else f / "cgroup.procs" for f in self.folders
        )

    def step_back(self) -> None:
        """Lower the group's weight: by default it weighs as much as a whole worker.

        Only once the sandbox has started, because a caller waits for that.
        """
        if self.cpu is not None:
            _set(self.cpu, _WEIGHTS)


class OomCounter:
    """Counts processes that the kernel killed because the group had no memory left."""

    def __init__(self, memory: Path | None) -> None:
        files = [memory / name for name in _OOM_FILES] if memory is not None else []
        file = next((file for file in files if file.exists()), None)
        self._file = os.open(file, os.O_RDONLY | os.O_CLOEXEC) if file is not None else None
        self._seen = 0

    def rang(self) -> bool:
        if self._file is None:
            return False
        try:
            text = os.pread(self._file, _OOM_BYTES, 0)
        except OSError:
            # Its group was removed: by who took the run over, while this process was frozen.
            return False
        before = self._seen
        counts = dict(line.split(maxsplit=1) for line in text.splitlines())
        self._seen = int(counts.get(b"oom_kill", 0))
        return self._seen > before

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Cgroups(NamedTuple):
    """Parent folders of new groups; version 2 has one for all controllers."""

    memory: Path | None = None
    pids: Path | None = None
    cpu: Path | None = None

    def create(self, name: str, limits: SandboxLimits) -> Cgroup:
        """Create the groups of a sandbox, without those that cannot be created."""
        return Cgroup(
            memory=_make(self.memory, name, _memory_settings(limits)),
            pids=_make(self.pids, name, [("pids.max", limits.processes)]),
            cpu=_make(self.cpu, name, _cpu_settings(limits)),
        )

    def names(self, name: str) -> tuple[Path, ...]:
        parents = dict.fromkeys(parent for parent in self if parent is not None)
        return tuple(parent / name for parent in parents)


def members(folders: Sequence[Path]) -> list[int]:
    found: list[int] = []
    for folder in folders:
        with suppress(OSError):
            found += [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    return found


def remove(folders: Sequence[Path]) -> bool:
    """Remove empty groups; False while a process is still in one."""
    for folder in folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def find(proc: Path = Path("/proc/self")) -> Cgroups:
    """Find our nearest groups that may have children with limits."""
    try:
        own = [line.split(":", 2) for line in (proc / "cgroup").read_text().splitlines()]
        mounts = [_mount(line) for line in (proc / "mountinfo").read_text().splitlines()]
    except FileNotFoundError:
        return Cgroups()
    found: dict[str, Path] = {}
    for _, controllers, path in own:
        for mount in mounts:
            folder = mount.folder(path)
            if folder is None:
                continue
            if controllers == "" and mount.kind == "cgroup2":
                found |= _version_2(folder, mount.point)
            elif mount.kind == "cgroup":
                found |= _version_1(folder, set(controllers.split(",")) & mount.options)
    return Cgroups(**found)


class _Mount(NamedTuple):
    root: PurePosixPath
    point: Path
    kind: str
    options: frozenset[str]

    def folder(self, path: str) -> Path | None:
        own = PurePosixPath(path)
        return self.point / own.relative_to(self.root) if own.is_relative_to(self.root) else None


def _mount(line: str) -> _Mount:
    left, _, right = line.partition(" - ")
    fields, kind, options = left.split(), right.split()[0], right.split()[-1].split(",")
    return _Mount(PurePosixPath(fields[3]), Path(fields[4]), kind, frozenset(options))


def _version_1(folder: Path, controllers: set[str]) -> Iterator[tuple[str, Path]]:
    for controller in controllers & set(_CONTROLLERS):
        if os.access(folder, os.W_OK):
            yield controller, folder


def _version_2(own: Path, top: Path) -> Iterator[tuple[str, Path]]:
    """The nearest parent that delegates the needed controllers."""
    for folder in [own, *own.parents]:
        if not folder.is_relative_to(top):
            return
        with suppress(OSError):
            handed_down = (folder / "cgroup.subtree_control").read_text().split()
            writable = os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
            if writable and set(_NEEDED) <= set(handed_down):
                yield from ((name, folder) for name in _CONTROLLERS if name in handed_down)
                return


def _memory_settings(limits: SandboxLimits) -> _Settings:
    return [
        ("memory.limit_in_bytes", limits.memory_bytes),
        ("memory.memsw.limit_in_bytes", limits.memory_bytes),
        ("memory.max", limits.memory_bytes),
        ("memory.swap.max", 0),
    ]


def _cpu_settings(limits: SandboxLimits) -> _Settings:
    quota = max(_LEAST_US, round(limits.processors * _PERIOD_US))
    return [
        ("cpu.cfs_period_us", _PERIOD_US),
        ("cpu.cfs_quota_us", quota),
        ("cpu.max", f"{quota} {_PERIOD_US}"),
    ]


def _make(parent: Path | None, name: str, settings: _Settings) -> Path | None:
    if parent is None:
        return None
    folder = parent / name
    try:
        folder.mkdir(exist_ok=True)
        _set(folder, settings)
    except OSError:
        return None
    return folder


def _set(folder: Path, settings: _Settings) -> None:
    """Settings that this version lacks are skipped."""
    for name, value in settings:
        try:
            descriptor = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)


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
    """The guarantee about processors, which needs a control group."""
    how = "no writable cgroup: shared with the host's other processes"
    if cgroup.cpu is not None:
        how = f"cgroup: the time of {limits.processors:g} for a sandbox"
    return cgroup.cpu is not None, how


def outlived(lifetime_s: float) -> str:
    minutes = f"{lifetime_s / 60:g}"
    return f"the sandbox was ended after {minutes} minutes (SANDBOX_LIFETIME_MINUTES)"


def _at_most(kind: int, wanted: int) -> int:
    """The limit, reduced to our own hard limit."""
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
