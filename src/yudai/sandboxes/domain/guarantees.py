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
    """Whether it is part of what `isolated` says."""


KINDS: dict[GuaranteeKind, KindRow] = {
    "files": KindRow("Commands read no file of yours, and change none of the host.", is_wall=True),
    "environment": KindRow("Commands see no environment variable of ours.", is_wall=True),
    "network": KindRow("Commands reach only the hosts that their phase may reach.", is_wall=True),
    "processes": KindRow(
        "Commands see no process outside the sandbox, and leave none behind.", is_wall=True
    ),
    "memory": KindRow("All processes of a sandbox together have a limit of memory."),
    "process count": KindRow("A sandbox has a limit of processes at once."),
    "processors": KindRow("A sandbox has a limit of processor time."),
    "disk": KindRow("What a sandbox writes has a limit."),
    "time": KindRow("A command that takes too long is killed with all that it started."),
    "output": KindRow("What a command prints is cut at a limit while it is read."),
    "kernel": KindRow("A bug in the kernel that commands talk to does not expose the host."),
}
WALLS = frozenset(kind for kind, row in KINDS.items() if row.is_wall)

Kept = tuple[bool, str]
"""Whether a guarantee holds, and how it is (or is not) kept."""


class Guarantee(Value):
    """One promise of a backend on this host, and how it is (or is not) kept."""

    name: str
    holds: bool
    how: str


def guarantees(kept: Mapping[GuaranteeKind, Kept]) -> tuple[Guarantee, ...]:
    """What a backend says about every kind, in its order; LookupError where it leaves one out."""
    if missing := KINDS.keys() - kept.keys():
        raise LookupError(f"a backend says nothing about {', '.join(sorted(missing))}")
    return tuple(Guarantee(name=kind, holds=h, how=how) for kind, (h, how) in kept.items())


def isolates(held: Iterable[Guarantee]) -> bool:
    """Whether all that are part of isolation hold; one that nothing is said about does not."""
    return {one.name for one in held if one.holds} >= WALLS
