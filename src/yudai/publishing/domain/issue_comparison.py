"""Whether tests that prove a patch are more about another issue than about the solved one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from yudai.kit.value import Value
from yudai.patches.git_diff import FileChange
from yudai.verification.domain.tie import Texts, match_scores, part_scores


class IssueComparison(Value):
    """What came of comparing the proof with other open issues."""

    compared: int = 0
    """With how many."""
    nearer: int | None = None
    """Number of the one that the proof matches better than the solved one."""
    unread: bool = False
    """They could not be read."""


class ProvingTest(NamedTuple):
    path: str
    test: str
    text: str
    """Of its file, or of what a patch shows of it."""
    is_whole: bool


def proving_test(change: FileChange, test: str) -> ProvingTest:
    """A test in a file that a patch adds or changes."""
    if change.is_new:
        return ProvingTest(change.path, test, "\n".join(change.added_lines), is_whole=True)
    return ProvingTest(change.path, test, "\n".join(change.added_lines), is_whole=False)


def compare_issues(
    tests: Iterable[ProvingTest], issue: str, others: Mapping[int, str], files: Texts
) -> IssueComparison:
    """Strictly better only: of equal matches the issue that was to be solved is meant."""
    numbers = sorted(others)
    issues = [issue, *(others[number] for number in numbers)]
    totals = [0] * len(issues)
    for test in tests:
        totals = [a + b for a, b in zip(totals, _scores(test, issues, files), strict=True)]
    own, *rest = totals
    best = max(rest, default=0)
    nearer = numbers[rest.index(best)] if best > own else None
    return IssueComparison(compared=len(numbers), nearer=nearer)


def _scores(test: ProvingTest, issues: Sequence[str], files: Texts) -> list[int]:
    if test.is_whole:
        return match_scores(test.path, test.text, test.test, issues, files)
    return part_scores(test.path, test.text, issues)
