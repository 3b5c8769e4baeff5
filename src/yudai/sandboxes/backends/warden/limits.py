"""Measures how much disk a command uses, in a separate process."""

import json
import os
import select
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from yudai.sandboxes.backends.warden.state import SEALED, write
from yudai.sandboxes.backends.workspace.disk_usage import usage

_SOONEST_S = 0.5
_INTERVAL_S = 2.0
_LONGEST_S = 60.0
_SHARE = 20
_LAST_LOOK_S = 20.0
_STATE = SEALED / "disk.json"


class DiskWatch:
    """Often enough to stop a writer, seldom enough to cost nothing."""

    def __init__(self, folders: Sequence[str], limit: int) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._limit = limit
        self._used, self._due = _load()
        now = time.monotonic()
        self._due = min(max(self._due, now + _SOONEST_S), now + _LONGEST_S)
        self._child = 0
        self._began = 0.0
        self.descriptor = -1
        """Readable when there is news; -1 while no measuring process runs."""
        self.is_full = False

    def pause(self) -> float:
        """Seconds until the next look."""
        return _LONGEST_S if self._child else max(self._due - time.monotonic(), 0)

    def look(self) -> None:
        """Start to measure when it is due."""
        if self._child or time.monotonic() < self._due or not self._folders:
            return
        self._began = time.monotonic()
        self.descriptor, writer = os.pipe()
        self._child = os.fork()
        if not self._child:
            _measure(self._folders, writer)
        os.close(writer)

    def hear(self) -> None:
        """A file that is already too big may shrink, but not grow."""
        said = os.read(self.descriptor, 64)
        os.close(self.descriptor)
        self._child, self.descriptor = 0, -1
        now = time.monotonic()
        self._due = now + min(max(_INTERVAL_S, _SHARE * (now - self._began)), _LONGEST_S)
        if said:
            allowed, self._used = max(self._limit, self._used), int(said)
            self.is_full = self.is_full or self._used > allowed

    def stop(self) -> None:
        """Stop measuring while processes are killed, whose ids may be reused."""
        if self._child and not self._has_news(0):
            os.kill(self._child, signal.SIGKILL)
        if self._child:
            self.hear()

    def close(self) -> None:
        """Look once more after the command, if the last look is not fresh; remember it."""
        self.look()
        if self._child:
            self._has_news(_LAST_LOOK_S)
        self.stop()
        with suppress(OSError):
            write(_STATE, json.dumps([self._used, self._due]).encode())

    def _has_news(self, seconds: float) -> bool:
        return bool(select.select([self.descriptor], [], [], seconds)[0])


def _measure(folders: Sequence[Path], writer: int) -> None:
    """In a separate process, because hostile code can make this take very long."""
    try:
        signal.set_wakeup_fd(-1)
        os.closerange(3, writer)
        os.closerange(writer + 1, 1024)
        total = sum(usage(folder) for folder in folders if folder.is_dir())
        os.write(writer, b"%d" % total)
    finally:
        os._exit(0)


def _load() -> tuple[int, float]:
    try:
        used, due = json.loads(_STATE.read_bytes())
        return int(used), float(due)
    except (OSError, ValueError):
        return 0, 0.0


_CGROUPS = Path("/sys/fs/cgroup")
_PROC = Path("/proc")
_FILES = ("memory.events", "memory.oom_control")


class OomCounter:
    def __init__(self) -> None:
        self._file = _find()
        self._before = self._count()

    def rang(self, *, shot: bool) -> bool:
        """`shot` says that a process was killed by SIGKILL.

        Without a control group the kernel's count is that of the whole machine, others included.
        """
        return (shot or self._file is not None) and self._count() > self._before

    def _count(self) -> int:
        return _oom_kills(self._file or _PROC / "vmstat") or 0


def _find() -> Path | None:
    """Our control group's own count: of version 2, or of version 1."""
    places: list[Path] = []
    with suppress(OSError):
        for line in (_PROC / "self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            if kinds in ("", "memory"):
                folder = _CGROUPS / kinds
                places += [folder / path.lstrip("/") / name for name in _FILES]
                places += [folder / name for name in _FILES]
    return next((place for place in places if _oom_kills(place) is not None), None)


def _oom_kills(file: Path) -> int | None:
    """None: the file does not count them."""
    with suppress(OSError, ValueError):
        for line in file.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return None
