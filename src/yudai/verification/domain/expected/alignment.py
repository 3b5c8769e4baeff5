"""Matches the lines or statements of an old text, in order, to those of a longer new one."""

from collections.abc import Sequence
from typing import NamedTuple

_MOST = 300
# The keys of a line, from the most exact to the least exact.
_COSTS = (0, 1, 3)


class _Choice(NamedTuple):
    cost: int
    chosen: tuple[int, ...]


def aligned(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> tuple[int, ...] | None:
    """The index of the best new match for each old item; None if one has no match."""
    if len(old) == len(new):
        return tuple(range(len(new)))
    if len(old) > len(new) or len(new) > _MOST:
        return None
    # `best[n]`: the best match of all old items so far among the first n new ones.
    best: list[_Choice | None] = [_Choice(0, ())] * (len(new) + 1)
    for wanted in old:
        row: list[_Choice | None] = [None]
        for at, found in enumerate(new):
            row.append(_cheaper(row[-1], _taken(best[at], wanted, found, at)))
        best = row
    return best[-1].chosen if best[-1] else None


def _taken(
    before: _Choice | None, wanted: Sequence[str], found: Sequence[str], at: int
) -> _Choice | None:
    costs = (c for c, a, b in zip(_COSTS, wanted, found, strict=False) if a == b)
    cost = next(costs, None)
    if before is None or cost is None:
        return None
    return _Choice(before.cost + cost, (*before.chosen, at))


def _cheaper(one: _Choice | None, other: _Choice | None) -> _Choice | None:
    if one is None or other is None:
        return one or other
    return min(one, other)
