"""Chooses prepared bases to evict: those unused for long, then others until the rest fits."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

GRACE_S = 3600.0
"""Bases used more recently are kept, because their next sandbox may be about to start."""


class Prepared(Protocol):
    """The facts about a base that count."""

    @property
    def size_bytes(self) -> int | None: ...
    @property
    def used_at(self) -> float: ...
    @property
    def users(self) -> int: ...


Base = TypeVar("Base", bound=Prepared)


def choose(
    bases: Sequence[Base],
    *,
    max_bytes: int,
    max_age_s: float,
    now: float,
    grace_s: float = GRACE_S,
) -> tuple[Base, ...]:
    """The least recently used first, never one in use; an unknown size counts as zero."""
    free = [base for base in bases if not base.users and now - base.used_at >= grace_s]
    total = sum(_size(base) for base in bases)
    chosen: list[Base] = []
    for base in sorted(free, key=lambda base: base.used_at):
        is_old = now - base.used_at > max_age_s
        makes_room = total > max_bytes and _size(base) > 0
        if is_old or makes_room:
            chosen.append(base)
            total -= _size(base)
    return tuple(chosen)


def _size(base: Prepared) -> int:
    return base.size_bytes or 0
