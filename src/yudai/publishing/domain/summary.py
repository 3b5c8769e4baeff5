"""The facts about an ended solve that are published at a forge."""

from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.patches.patch import Patch, readable
from yudai.publishing.domain.issue_comparison import IssueComparison
from yudai.ranking.domain.scorecard import Place
from yudai.verification.domain.phrases import is_closing
from yudai.verification.domain.question import Choice
from yudai.verification.domain.verdict import Tally


class FileDelta(Value):
    path: str
    added: int
    removed: int
    is_binary: bool = False


class AskedQuestion(Value):
    """A question, as a comment shows it."""

    name: str
    """What names it in a command."""
    text: str
    detail: str
    choices: tuple[Choice, ...]
    runs: tuple[RunId, ...] = ()
    """The answers that it is about."""
    choice: str | None = None
    """The answer."""
    answered_by: str = ""


class PublishedSolve(Value):
    solve_id: SolveId
    issue_number: int | None
    issue_title: str
    base_branch: str
    base_commit: str
    command: str = ""
    """The test command."""
    champion: Place | None = None
    tests: Tally | None = None
    """Tests of the champion."""
    others: tuple[Place, ...] = ()
    not_started: int = 0
    cost_micros: int = 0
    """Cost of all runs."""
    reason: str = ""
    """One line: why this champion, or why none."""
    questions: tuple[AskedQuestion, ...] = ()
    """Open and answered ones."""
    comparison: IssueComparison = IssueComparison()
    """Of the champion's proof with the other open issues."""
    files: tuple[FileDelta, ...] = ()
    flags: tuple[str, ...] = ()
    """What a reviewer should look at first: one line each."""
    page_url: str = ""
    """URL of the solve; "" when others could not see it."""

    @property
    def is_closing(self) -> bool:
        """Whether the champion's verdict shows that this very issue is solved."""
        champion = self.champion
        is_nearest = self.comparison.nearer is None
        return champion is not None and is_nearest and is_closing(champion.scorecard.verdict)

    @property
    def joined_test(self) -> str:
        """Another contestant's test that is part of what is published, as `handle::test id`."""
        return "" if self.champion is None else self.champion.scorecard.verdict.evidence.joined


class CommentFacts(Value):
    """State of the publication, for the comment."""

    pull_number: int | None = None
    pull_url: str = ""
    refused: str = ""
    """Why there is no pull request, although there is a champion."""


def file_deltas(patch: Patch) -> tuple[FileDelta, ...]:
    return tuple(
        FileDelta(
            path=readable(change.path),
            added=change.added,
            removed=change.removed,
            is_binary=change.is_binary,
        )
        for change in sorted(patch.files, key=lambda change: change.path)
    )
