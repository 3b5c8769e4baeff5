"""Count what a run could leave behind on the host."""

import os
from pathlib import Path
from typing import NamedTuple

from tests.support.control_groups import cgroups


class Leftovers(NamedTuple):
    processes: frozenset[str]
    mounts: frozenset[str]
    cgroups: frozenset[str]
    sandboxes: frozenset[str]


def leftovers(home: Path) -> Leftovers:
    """Everything on this machine that names this home or its installation."""
    installation = home / "installation"
    name = installation.read_text().strip() if installation.exists() else "no-installation-yet"
    return Leftovers(
        processes=frozenset(_processes(str(home))),
        mounts=frozenset(
            line
            for line in Path("/proc/self/mountinfo").read_text().splitlines()
            if str(home) in line
        ),
        cgroups=cgroups(name),
        sandboxes=frozenset(path.name for path in (home / "boxes").glob("*")),
    )


def _processes(home: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if home in line:
            found.append(f"{folder.name} {line}")
    return found


NOTHING = Leftovers(frozenset(), frozenset(), frozenset(), frozenset())
