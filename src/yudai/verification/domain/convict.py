"""Decides which answers are convicted when some fail the tests of others.

The failures are a graph, so the order of answers does not matter.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

Node = TypeVar("Node", bound=Hashable)

Attacks = Mapping[tuple[Node, Node], int]
"""By author and rival: the support of the strongest of its tests that the rival fails."""


class Settlement(NamedTuple, Generic[Node]):
    standing: frozenset[Node]
    convicted: frozenset[Node]
    disputed: frozenset[frozenset[Node]]
    """Groups of answers that fail each other's tests with equal support."""


def settle(
    nodes: Collection[Node], attacks: Attacks[Node], *, weighs: bool = True
) -> Settlement[Node]:
    """Only an answer that is not convicted itself can convict another. Cycles are disputed.

    If two answers fail each other's tests, only the side with more support counts. A disputed
    answer convicts no other.
    """
    effective = {pair for pair in attacks if not weighs or _counts(pair, attacks)}
    standing: set[Node] = set()
    convicted: set[Node] = set()
    while True:
        free = {
            node
            for node in nodes
            if node not in standing | convicted
            and all(one in convicted for one, other in effective if other == node)
        }
        if not free:
            break
        standing |= free
        convicted |= {other for one, other in effective if one in free}
    left = set(nodes) - standing - convicted
    edges = {(one, other) for one, other in effective if {one, other} <= left}
    return Settlement(frozenset(standing), frozenset(convicted), frozenset(_groups(left, edges)))


def _counts(pair: tuple[Node, Node], attacks: Attacks[Node]) -> bool:
    back = attacks.get((pair[1], pair[0]))
    return back is None or attacks[pair] >= back


def _groups(nodes: set[Node], edges: set[tuple[Node, Node]]) -> list[frozenset[Node]]:
    """Connected components of the disputes."""
    groups: list[frozenset[Node]] = []
    left = set(nodes)
    while left:
        found: set[Node] = set()
        near: set[Node] = {min(left, key=repr)}
        while not near <= found:
            found |= near
            near = {b for a, b in edges if a in found} | {a for a, b in edges if b in found}
        groups.append(frozenset(found))
        left -= found
    return groups


def independent(answers: Iterable[frozenset[str]]) -> int:
    """The largest number of answers that can be matched to distinct authors.

    Each answer lists its authors. Copies of a patch and several patches of one author count once.
    """
    taken: dict[str, frozenset[str]] = {}
    return sum(_place(answer, taken, set()) for answer in answers)


def _place(answer: frozenset[str], taken: dict[str, frozenset[str]], tried: set[str]) -> bool:
    """Match an author, reassigning earlier answers if needed."""
    for author in sorted(answer - tried):
        tried.add(author)
        if author not in taken or _place(taken[author], taken, tried):
            taken[author] = answer
            return True
    return False
