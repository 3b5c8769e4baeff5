"""Detects reverts of a merged change, and reapplications.

Signs by strength: a named commit, a named pull request, the branch of the forge's revert button,
the exact title. A revert that shows only by its content is a suspicion.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from yudai.kit.value import Value
from yudai.patches.patch import Patch
from yudai.publishing.domain.branch_history import Act, Change, is_one, is_picked, second
from yudai.publishing.domain.publication import OutcomeKind

MIN_TELLING = 3
MOST_LEFT = 0.2
_MAX_TITLE = 1000
_TELLING_CHARACTERS = 4

# Git and forges write it at the start of a line.
_START = r"^[ \t]*"
_COMMIT = re.compile(rf"(?im){_START}This reverts commit ([0-9a-f]{{7,64}})\b")
_PULL = re.compile(rf"(?im){_START}Reverts:?[ \t]+([\w.-]+/[\w.-]+)?#([0-9]{{1,9}})(?![0-9])")
_BRANCH = re.compile(r"(?:revert-[0-9]{1,9}-)+")
_WRAPPED = re.compile(r'(Revert|Reapply) "(.*)"(?: \(#[0-9]{1,9}\))?')
_NUMBERED = re.compile(r"(.*) \(#([0-9]{1,9})\)")


class Sign(StrEnum):
    """Strongest first."""

    COMMIT = "commit"
    PULL = "pull"
    BRANCH = "branch"
    TITLE = "title"
    CONTENT = "content"


class Reversal(Value):
    """An act that reverted or reapplied our change."""

    kind: OutcomeKind
    sha: str
    at: float
    sign: Sign
    number: int | None = None
    by: str = ""


class Reading(NamedTuple):
    reversals: tuple[Reversal, ...]
    suspicions: tuple[Act, ...]
    """Acts that undo our change exactly without saying so."""
    is_there: bool
    """Whether our change is on the base branch after all of them."""


def read_history(change: Change, acts: Iterable[Act], *, kept: Sequence[Reversal] = ()) -> Reading:
    """Find reversals that are not stored yet. Idempotent.

    Nested reverts count by parity: a revert of a revert reapplies our change.
    """
    known = _Known(change, kept)
    is_there = not kept or kept[-1].kind is OutcomeKind.REAPPLIED
    newest = kept[-1].at if kept else change.since
    old = {reversal.sha for reversal in kept}
    reversals: list[Reversal] = []
    suspicions: list[Act] = []
    for act in acts:
        if not _is_later(act, change):
            continue
        reversal = known.read(act)
        is_late = act.sha not in old and second(act) >= math.floor(newest)
        if reversal is None:
            if is_there and is_late and _undoes(act, change):
                suspicions.append(act)
        elif is_late and is_there is (reversal.kind is OutcomeKind.REVERTED):
            reversals.append(reversal)
            is_there = not is_there
    return Reading(tuple(reversals), tuple(suspicions), is_there)


def telling_lines(patch: Patch) -> dict[str, tuple[str, ...]]:
    """Added lines that identify our change, without short lines that occur anywhere."""
    found = {
        change.path: tuple(
            line for line in change.added_lines if len(line.strip()) >= _TELLING_CHARACTERS
        )
        for change in patch.files
        if not change.is_binary
    }
    return {path: lines for path, lines in found.items() if lines}


def has_enough(lines: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether there are enough lines: one or two may change for any reason."""
    return sum(map(len, lines.values())) >= MIN_TELLING


class _Known:
    """Our change and its known reversals, with their nesting depth; our change has depth 0."""

    def __init__(self, change: Change, kept: Sequence[Reversal]) -> None:
        self._change = change
        self._shas = dict.fromkeys(change.shas, 0)
        self._numbers = {change.number: 0}
        self._strangers: set[str] = set()
        for reversal in kept:
            self._add(
                reversal.sha, reversal.number, 1 if reversal.kind is OutcomeKind.REVERTED else 2
            )

    def read(self, act: Act) -> Reversal | None:
        depths = {sign: depth for sign, depth in self._signs(act) if depth is not None}
        if not depths:
            self._strangers.add(act.sha)
            return None
        # Reverts quote what they revert: the deepest match is meant.
        depth = max(depths.values())
        self._add(act.sha, act.number, depth)
        return Reversal(
            kind=OutcomeKind.REVERTED if depth % 2 else OutcomeKind.REAPPLIED,
            sha=act.sha,
            at=act.at,
            sign=min(depths, key=list(Sign).index),
            number=act.number,
            by=act.by,
        )

    def _signs(self, act: Act) -> Iterable[tuple[Sign, int | None]]:
        yield Sign.COMMIT, _next(self._depth_of(found) for found in _named_commits(act))
        named = tuple(_named_pulls(act, self._change.repo))
        yield Sign.PULL, _next(map(self._numbers.get, named))
        yield Sign.BRANCH, self._by_branch(act.branch)
        if not self._names_another(act, named):
            yield Sign.TITLE, _deepest(_nested(title, self._change) for title in act.titles)
        if self._is_same(act):
            yield Sign.CONTENT, 0

    def _depth_of(self, found: str) -> int | None:
        return _deepest(depth for sha, depth in self._shas.items() if is_one(found, (sha,)))

    def _by_branch(self, branch: str) -> int | None:
        numbers = _branch_numbers(branch)
        if not numbers:
            return None
        direct = self._numbers.get(numbers[0])
        if direct is not None:
            return direct + 1
        return len(numbers) if numbers[-1] == self._change.number else None

    def _names_another(self, act: Act, pulls: Sequence[int]) -> bool:
        """Whether it refers to another change, which may have the same title."""
        if pulls and not any(number in self._numbers for number in pulls):
            return True
        return any(is_one(found, self._strangers) for found in _named_commits(act))

    def _is_same(self, act: Act) -> bool:
        picked = is_picked(act.message, self._change.shas)
        return picked or bool(act.patch_id and act.patch_id == self._change.patch_id)

    def _add(self, sha: str, number: int | None, depth: int) -> None:
        self._shas[sha] = depth
        if number is not None:
            self._numbers[number] = depth


def _is_later(act: Act, change: Change) -> bool:
    is_ours = act.sha in change.shas or act.number == change.number
    return not is_ours and second(act) >= math.floor(change.since)


def _undoes(act: Act, change: Change) -> bool:
    return bool(act.patch_id) and act.patch_id == change.inverse_patch_id


def _named_commits(act: Act) -> list[str]:
    return [*_COMMIT.findall(act.message), *_COMMIT.findall(act.body)]


def _named_pulls(act: Act, repo: str) -> Iterable[int]:
    """Named pull requests. A bare number counts only in a pull request's body."""
    for text, is_here in ((act.body, True), (act.message, False)):
        for where, number in _PULL.findall(text):
            if where.lower() == repo.lower() or (is_here and not where):
                yield int(number)


def _branch_numbers(branch: str) -> list[int]:
    """`revert-9-revert-7-fix` reverts 9, which reverted 7."""
    found = _BRANCH.match(branch)
    return [] if found is None else [int(part) for part in re.findall(r"[0-9]+", found[0])]


def _nested(title: str, change: Change) -> int | None:
    """How often our exact title is wrapped in Revert; None: it is not."""
    inner, layers, reverts = title[:_MAX_TITLE], 0, 0
    while found := _WRAPPED.fullmatch(inner):
        inner, layers = found[2], layers + 1
        reverts += found[1] == "Revert"
    if not layers or not _is_title(inner, change):
        return None
    # Git writes `Reapply "x"` for a revert of `Revert "x"`.
    return reverts or 2


def _is_title(text: str, change: Change) -> bool:
    if text == change.title:
        return True
    found = _NUMBERED.fullmatch(text)
    return found is not None and found[1] == change.title and int(found[2]) == change.number


def _next(depths: Iterable[int | None]) -> int | None:
    deepest = _deepest(depths)
    return None if deepest is None else deepest + 1


def _deepest(depths: Iterable[int | None]) -> int | None:
    return max((depth for depth in depths if depth is not None), default=None)
