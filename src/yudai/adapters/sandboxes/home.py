"""A backend's folder on disk: bases, boxes, and the lease that tells whose they are.

Each living process holds the lock of its lease; what belongs to a free lease is a leftover.
"""

import fcntl
import os
import re
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from yudai.adapters.sandboxes.removal import remove_tree
from yudai.domain.errors import SandboxError
from yudai.domain.value import Value

ABOUT = "base.json"
"""Beside a base's tree: it is prepared once this is there."""
USED = "used"
"""Touched whenever somebody has to do with the base."""

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}\Z")
_RECORD = "box.json"


class BoxRecord(Value):
    """What another process must know to remove a box."""

    id: str
    owner: str
    lease: str
    base: str = ""
    """The base that it stands on."""
    made_at: float = 0.0
    cgroups: tuple[Path, ...] = ()


class Home:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.bases = root / "bases"
        self.boxes = root / "boxes"
        self.etc = root / "etc"
        self.tools = root / "tools"
        self._leases = root / "leases"
        self._lease: tuple[str, int] | None = None

    def lease(self) -> Path:
        """Our process's own folder; made and locked at the first call."""
        if self._lease is None:
            for folder in (self.bases, self.boxes, self._leases):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = _new_id()
            with locked(self._leases):
                (self._leases / name).mkdir(mode=0o700)
                self._lease = name, _lock_file(self._leases / name / "lock")
        return self._leases / self._lease[0]

    def release(self) -> None:
        if self._lease is not None:
            name, lock = self._lease
            self._lease = None
            remove_tree(self._leases / name)
            os.close(lock)

    def new_box(
        self,
        owner: str,
        *,
        base: str = "",
        cgroups: Callable[[str], tuple[Path, ...]] = lambda _: (),
    ) -> BoxRecord:
        """Made whole in the lease's folder, so that nobody ever sees a box without its record.

        From then on its base stays: who removes one looks for records while no new one is made.
        """
        box_id, lease = _new_id(), self.lease()
        record = BoxRecord(
            id=box_id,
            owner=owner,
            lease=lease.name,
            base=base,
            made_at=time.time(),
            cgroups=cgroups(box_id),
        )
        unborn = lease / f"new-{record.id}"
        unborn.mkdir(mode=0o700)
        (unborn / _RECORD).write_text(record.model_dump_json())
        with locked(self.bases, shared=True):
            if base and not touch(self.bases / safe_name(base)):
                remove_tree(unborn)
                raise SandboxError(f"base {base} is not prepared")
            unborn.rename(self.box(record.id))
        return record

    def box(self, box_id: str) -> Path:
        return self.boxes / safe_name(box_id)

    def remove_box(self, box_id: str) -> bool:
        """Claim a dead box by moving it to the lease's folder, then remove it; False when gone."""
        claimed = self.lease() / f"gone-{_new_id()}"
        record = self.find(box_id)
        try:
            self.box(box_id).rename(claimed)
        except FileNotFoundError:
            return False
        if record is not None and record.base:
            touch(self.bases / record.base)
        remove_tree(claimed)
        return True

    def records(self) -> list[BoxRecord]:
        if not self.boxes.exists():
            return []
        names = sorted(folder.name for folder in self.boxes.iterdir())
        found = (self.find(name) for name in names if _SAFE.match(name))
        return [record for record in found if record is not None]

    def find(self, box_id: str) -> BoxRecord | None:
        folder = self.box(box_id)
        try:
            return BoxRecord.model_validate_json((folder / _RECORD).read_bytes())
        except (FileNotFoundError, ValidationError):
            nobodys = BoxRecord(id=box_id, owner="", lease="")
            return nobodys if folder.exists() else None

    def abandoned(self) -> list[BoxRecord]:
        """Boxes whose process is dead."""
        return [r for r in self.records() if not self._is_held(r.lease)]

    def living(self) -> list[BoxRecord]:
        """Boxes whose process is alive, ours or another."""
        return [r for r in self.records() if self._is_held(r.lease)]

    def reap_leases(self) -> None:
        if not self._leases.exists():
            return
        with locked(self._leases):
            for folder in self._leases.iterdir():
                if _SAFE.match(folder.name) and not self._is_held(folder.name):
                    remove_tree(folder)

    def _is_held(self, lease: str) -> bool:
        if self._lease is not None and lease == self._lease[0]:
            return True
        if not lease:
            return False
        try:
            lock = _lock_file(self._leases / safe_name(lease) / "lock", create=False)
        except BlockingIOError:
            return True
        except (FileNotFoundError, NotADirectoryError):
            return False
        os.close(lock)
        return False


def _new_id() -> str:
    return secrets.token_hex(8)


def safe_name(name: str) -> str:
    """Refuse what could name another folder."""
    if not is_safe(name):
        raise ValueError(f"not usable as the name of a folder: {name!r}")
    return name


def is_safe(name: str) -> bool:
    return _SAFE.match(name) is not None


def touch(base: Path) -> bool:
    """Note that a prepared base is of use; False when there is none."""
    try:
        (base / ABOUT).stat()
        (base / USED).touch()
    except FileNotFoundError:
        return False
    return True


@contextmanager
def locked(folder: Path, *, shared: bool = False) -> Generator[None]:
    """Hold a folder's lock for a short while."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _lock_file(path: Path, *, create: bool = True) -> int:
    flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
