"""Whether memory ran out: the kernel counts whom it killed for that."""

from contextlib import suppress
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_PROC = Path("/proc")
_FILES = ("memory.events", "memory.oom_control")


class OomCounter:
    def __init__(self) -> None:
        self._file = _find()
        self._before = _count(self._file or _PROC / "vmstat")

    def rang(self, *, shot: bool) -> bool:
        """`shot` says that somebody was killed outright.

        Without a control group the kernel's count is that of the whole machine, others included.
        """
        if self._file is not None:
            return _count(self._file) > self._before
        return shot and _count(_PROC / "vmstat") > self._before


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
    return next((place for place in places if _counts(place)), None)


def _counts(file: Path) -> bool:
    with suppress(OSError):
        return any(line.startswith("oom_kill ") for line in file.read_text().splitlines())
    return False


def _count(file: Path) -> int:
    with suppress(OSError, ValueError):
        for line in file.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
