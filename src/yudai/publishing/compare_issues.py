"""Compares the champion's proof with the other open issues of its repository, in one request."""

import asyncio
from collections.abc import Sequence

import structlog

from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.forge.ports.remote import IssueQuery
from yudai.kit.errors import ClaimLostError, InfrastructureError, RefusedError
from yudai.kit.ids import RunId
from yudai.patches.patch import Patch, parse_patch
from yudai.publishing.context import PublishContext, Work
from yudai.publishing.domain.issue_comparison import (
    IssueComparison,
    ProvingTest,
    compare_issues,
    proving_test,
)
from yudai.ranking.domain.scorecard import Scorecard, red_to_green
from yudai.ranking.rank import scorecard_of
from yudai.store.outages import StoreAwayError
from yudai.testing.domain.report import TestPlan
from yudai.verification.domain.phrases import is_closing
from yudai.verification.own_tests import file_of

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MOST_ISSUES = 100
_MOST_TESTS = 20
_NOTHING = IssueComparison()


async def compare_with_open_issues(publishing: PublishContext, work: Work) -> IssueComparison:
    """A failure never keeps a pull request from being opened: then nothing was compared."""
    solve, number = work.solve, work.solve.issue_number
    cards = [scorecard_of(run) for run in work.runs]
    champion = next((card for card in cards if card.run_id == work.row.run_id), None)
    if number is None or champion is None or not is_closing(champion.verdict):
        return _NOTHING
    try:
        tests = await _proving_tests(publishing, champion, cards, solve.test_plan)
        if not tests:
            return _NOTHING
        query = IssueQuery(is_open=True, per_page=_MOST_ISSUES)
        page = await publishing.forge.issues(work.repo, query, by=work.by)
    except (ClaimLostError, StoreAwayError):
        raise
    except (InfrastructureError, RefusedError) as error:
        log.warning("publication.not_compared", solve_id=solve.id, error=str(error))
        return IssueComparison(unread=True)
    others = {i.number: f"{i.title}\n{i.body}" for i in page.issues if i.number != number}
    issue = f"{solve.issue_title}\n{solve.issue_body}"
    files = {test.path: test.text for test in tests if test.is_whole}
    # In a thread: a hundred long issues take seconds.
    return await asyncio.to_thread(compare_issues, tests, issue, others, files)


async def _proving_tests(
    publishing: PublishContext,
    champion: Scorecard,
    cards: Sequence[Scorecard],
    plan: TestPlan | None,
) -> list[ProvingTest]:
    """Those that stand in a patch: the champion's own, and tests of others that it passes."""
    names = red_to_green(champion.verdict)[:_MOST_TESTS]
    others = {card.contestant.handle: card for card in cards if card is not champion}
    found: list[ProvingTest] = []
    patches: dict[RunId, Patch] = {}
    for name in names:
        handle, _, rest = name.partition("::")
        is_of_other = name in champion.verdict.evidence.cross_passed and handle in others
        card, test = (others[handle], rest) if is_of_other else (champion, name)
        if card.run_id not in patches:
            patches[card.run_id] = await _tests_of(publishing, card.run_id)
        changes = {change.path: change for change in patches[card.run_id].files}
        path = test.partition("::")[0] if plan is None else file_of(test, plan, changes)
        if path in changes:
            found.append(proving_test(changes[path], test))
    return found


async def _tests_of(publishing: PublishContext, run_id: RunId) -> Patch:
    content = await artifact_of(publishing.context, run_id, ArtifactKind.PATCH)
    return parse_patch(content.decode("utf-8", "surrogateescape")).tests
