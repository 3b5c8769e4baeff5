"""The kinds of guarantee: one row each, which every backend's probe, doctor and docs read.

A new kind is a row here, and what each backend says about it.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from yudai.kit.value import Value

GuaranteeKind = Literal[
    "files",
    "environment",
    "network",
    "processes",
    "memory",
    "process count",
    "processors",
    "disk",
    "time",
    "output",
    "kernel",
]


class KindRow(NamedTuple):
    meaning: str
    is_wall: bool = False
    """Whether a backend must keep it to count as isolated."""


KINDS: dict[GuaranteeKind, KindRow] = {
    "files": KindRow("Commands cannot read your files, or change files of the host.", is_wall=True),
    "environment": KindRow("Commands see none of our environment variables.", is_wall=True),
    "network": KindRow("Commands reach only the hosts allowed in their phase.", is_wall=True),
    "processes": KindRow(
        "Commands see no process outside the sandbox, and leave none behind.", is_wall=True
    ),
    "memory": KindRow("The memory of all processes in a sandbox together is limited."),
    "process count": KindRow("The number of processes in a sandbox is limited."),
    "processors": KindRow("The processor time of a sandbox is limited."),
    "disk": KindRow("The disk that a sandbox can fill is limited."),
    "time": KindRow("A command that takes too long is killed with all its child processes."),
    "output": KindRow("The output of a command is cut at a limit while it is read."),
    "kernel": KindRow("A bug in the kernel that runs the commands does not expose the host."),
}
WALLS = frozenset(kind for kind, row in KINDS.items() if row.is_wall)

Kept = tuple[bool, str]
"""Whether a guarantee holds, and how it is (or is not) kept."""


class Guarantee(Value):
    """A guarantee of a backend on this host, and how it is (or is not) kept."""

    name: str
    holds: bool
    how: str


def guarantees(kept: Mapping[GuaranteeKind, Kept]) -> tuple[Guarantee, ...]:
    """A backend's statement about every kind, in order. LookupError if one is missing."""
    if missing := KINDS.keys() - kept.keys():
        raise LookupError(f"a backend says nothing about {', '.join(sorted(missing))}")
    return tuple(Guarantee(name=kind, holds=h, how=how) for kind, (h, how) in kept.items())


def isolates(held: Iterable[Guarantee]) -> bool:
    """Whether all guarantees of isolation hold. A missing one counts as not held."""
    return {one.name for one in held if one.holds} >= WALLS
