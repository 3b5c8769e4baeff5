"""Memory of processes and number of their descendants, from /proc."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def peak_mb(pid: int) -> float:
    """Peak memory of a process."""
    return field_kb((_PROC / str(pid) / "status").read_text(), "VmHWM") / 1024


def below_mb(pid: int) -> float:
    """Present memory of its descendants; shared pages are divided among them."""
    return sum(_share_kb(each) for each in descendants(pid, _parents())) / 1024


def count_below(pid: int) -> int:
    return len(descendants(pid, _parents()))


def field_kb(text: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) if found else 0


def descendants(pid: int, parents: Mapping[int, int]) -> set[int]:
    found: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def _parents() -> dict[int, int]:
    found: dict[int, int] = {}
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            status = (folder / "stat").read_text()
            found[int(folder.name)] = int(status.rpartition(")")[2].split()[1])
    return found


def _share_kb(pid: int) -> int:
    with suppress(OSError):
        return field_kb((_PROC / str(pid) / "smaps_rollup").read_text(), "Pss")
    return 0
