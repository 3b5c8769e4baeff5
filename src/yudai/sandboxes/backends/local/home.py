"""A backend's folder on disk: bases, sandboxes, and the lease that names their owner.

Each living process holds the lock of its lease; what belongs to a free lease is a leftover.
"""

import fcntl
import os
import re
import secrets
import signal
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from yudai.kit.errors import SandboxError
from yudai.kit.locks import locked
from yudai.kit.value import Value
from yudai.sandboxes.backends.local import processes
from yudai.sandboxes.backends.local.processes import seeing
from yudai.sandboxes.backends.trees import Stuck, remove_tree, try_to_remove

_GET_FLAGS = 0x80086601
_SET_FLAGS = 0x40086602
_TOP = 0x00020000
_FLAGS = struct.Struct("=i")


def spread(folder: Path) -> None:
    """Have folders that are made in this one lie apart from each other, as `chattr +T` does.

    Without a journal ext4 looks at every file that was deleted nearby in the last minutes before
    it makes another: of sandboxes that come and go, each would start later than the one before.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # File systems that do not know it need no such advice.
        with suppress(OSError):
            [flags] = _FLAGS.unpack(fcntl.ioctl(descriptor, _GET_FLAGS, bytes(_FLAGS.size)))
            fcntl.ioctl(descriptor, _SET_FLAGS, _FLAGS.pack(flags | _TOP))
    finally:
        os.close(descriptor)


ABOUT = "base.json"
"""Beside a base's tree: it is prepared once this is there."""
USED = "used"
"""Touched on each use of the base."""

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}\Z")
_LEASE = re.compile(r"[0-9a-f]{16}\Z")
_RECORD = "box.json"
_LOCK = "lock"


class SandboxRecord(Value):
    """The facts that another process needs to remove a sandbox."""

    id: str
    owner: str
    lease: str
    base: str = ""
    """The base that it uses."""
    made_at: float = 0.0
    cgroups: tuple[Path, ...] = ()


class Home:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.bases = root / "bases"
        self.sandboxes = root / "boxes"
        self.etc = root / "etc"
        self.tools = root / "tools"
        self._leases = root / "leases"
        self._lease: tuple[str, int] | None = None

    def lease(self) -> Path:
        """Our process's folder, created and locked at the first call."""
        if self._lease is None:
            for folder in (self.bases, self.sandboxes, self._leases):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = _new_id()
            with locked(self._leases):
                (self._leases / name).mkdir(mode=0o700)
                spread(self._leases / name)
                self._lease = name, processes.take(self._leases / name / _LOCK)
        return self._leases / self._lease[0]

    def release(self) -> None:
        if self._lease is not None:
            name, lock = self._lease
            self._lease = None
            try:
                remove_tree(self._leases / name)
            finally:
                os.close(lock)

    def new_sandbox(
        self,
        owner: str,
        *,
        base: str = "",
        cgroups: Callable[[str], tuple[Path, ...]] = lambda _: (),
    ) -> SandboxRecord:
        """Create it inside the lease's folder, so that no sandbox is seen without its record.

        From then on its base stays: removing a base checks all records while none can be added.
        """
        sandbox_id, lease = _new_id(), self.lease()
        record = SandboxRecord(
            id=sandbox_id,
            owner=owner,
            lease=lease.name,
            base=base,
            made_at=time.time(),
            cgroups=cgroups(sandbox_id),
        )
        unborn = lease / f"new-{record.id}"
        unborn.mkdir(mode=0o700)
        (unborn / _RECORD).write_text(record.model_dump_json())
        with locked(self.bases, shared=True):
            if base and not touch(self.bases / safe_name(base)):
                remove_tree(unborn)
                raise SandboxError(f"base {base} is not prepared")
            unborn.rename(self.sandbox(record.id))
        return record

    def sandbox(self, sandbox_id: str) -> Path:
        return self.sandboxes / safe_name(sandbox_id)

    def remove_sandbox(self, sandbox_id: str) -> bool:
        """Claim a dead sandbox by moving it to the lease's folder, then remove it."""
        claimed = self.lease() / f"gone-{_new_id()}"
        record = self.find(sandbox_id)
        try:
            self.sandbox(sandbox_id).rename(claimed)
        except FileNotFoundError:
            return False
        if record is not None and record.base:
            touch(self.bases / record.base)
        try:
            remove_tree(claimed)
        except OSError:
            self._give_back(claimed, record)
            raise
        return True

    def records(self) -> list[SandboxRecord]:
        if not self.sandboxes.exists():
            return []
        names = sorted(folder.name for folder in self.sandboxes.iterdir())
        found = (self.find(name) for name in names if _SAFE.match(name))
        return [record for record in found if record is not None]

    def find(self, sandbox_id: str) -> SandboxRecord | None:
        folder = self.sandbox(sandbox_id)
        try:
            return SandboxRecord.model_validate_json((folder / _RECORD).read_bytes())
        except (FileNotFoundError, ValidationError):
            nobodys = SandboxRecord(id=sandbox_id, owner="", lease="")
            return nobodys if folder.exists() else None

    def abandoned(self) -> list[SandboxRecord]:
        """Sandboxes whose process is dead."""
        return self._sandboxes_of(are_held=False)

    def living(self) -> list[SandboxRecord]:
        """Sandboxes whose process is alive, ours or another."""
        return self._sandboxes_of(are_held=True)

    def reap_leases(self) -> list[Stuck]:
        """Remove leases of dead processes; returns the failures."""
        if not self._leases.exists():
            return []
        with locked(self._leases):
            dead = [
                folder
                for folder in self._leases.iterdir()
                if _SAFE.match(folder.name) and not self._is_held(folder.name)
            ]
            for folder in dead:
                _end_trials(folder)
            tried = [try_to_remove(folder) for folder in dead]
        return [stuck for stuck in tried if stuck is not None]

    def _give_back(self, claimed: Path, record: SandboxRecord | None) -> None:
        """Release a sandbox that could not be removed; the next sweep finds it."""
        if record is not None:
            with suppress(OSError):
                nobodys = record.model_copy(update={"lease": "", "base": ""})
                (claimed / _RECORD).write_text(nobodys.model_dump_json())
            with suppress(OSError):
                claimed.rename(self.sandbox(record.id))

    def _sandboxes_of(self, *, are_held: bool) -> list[SandboxRecord]:
        records = self.records()
        held = {lease: self._is_held(lease) for lease in {record.lease for record in records}}
        return [record for record in records if held[record.lease] is are_held]

    def _is_held(self, lease: str) -> bool:
        if self._lease is not None and lease == self._lease[0]:
            return True
        return bool(lease) and processes.is_held(self._leases / safe_name(lease) / _LOCK)


def _end_trials(lease: Path) -> None:
    """Kill the sandboxes of a dead process that only tried out this host: they have no record."""
    if _LEASE.match(lease.name):
        for pid in seeing(lease):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _new_id() -> str:
    return secrets.token_hex(8)


def safe_name(name: str) -> str:
    """Refuse what could name another folder."""
    if not is_safe(name):
        raise ValueError(f"not a valid folder name: {name!r}")
    return name


def is_safe(name: str) -> bool:
    return _SAFE.match(name) is not None


def touch(base: Path) -> bool:
    """Record the use of a prepared base; False if there is none."""
    try:
        (base / ABOUT).stat()
        (base / USED).touch()
    except FileNotFoundError:
        return False
    return True


_SHELLS = ("/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash", "/bin/sh")


def find_shell() -> str:
    return next(shell for shell in _SHELLS if Path(shell).exists())
