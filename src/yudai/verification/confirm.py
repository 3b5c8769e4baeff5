"""Runs again, alone, what would fail a patch: a flaky test fails no patch."""

from collections.abc import Collection
from typing import NamedTuple

from yudai.patches.patch import Patch
from yudai.testing.domain.report import Outcome, TestReport
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import VerificationCase
from yudai.verification.domain.rules import Rule
from yudai.verification.executions import Execution

MOST_AT_ONCE = 10
_MOST_TIMES = 5
_TWICE = (1, 2)


class Confirmed(NamedTuple):
    failed: tuple[str, ...]
    unsteady: tuple[str, ...]
    """Passed when they were run again, or failed on base."""


async def confirm(
    case: VerificationCase, patches: tuple[Patch, ...], tests: Collection[str], *, on_base: bool
) -> Confirmed:
    """Twice on the patch and, for tests that base passes, twice on base.

    One confirmed failure is enough: after it the rest is believed.
    """
    left = sorted(tests)
    if Rule.FAILURES_ARE_CONFIRMED not in case.rules:
        return Confirmed(tuple(left), ())
    unsteady: list[str] = []
    for _ in range(_MOST_TIMES):
        some, left = left[:MOST_AT_ONCE], left[MOST_AT_ONCE:]
        if not some:
            break
        failed = await _again(case, patches, some, on_base=on_base)
        unsteady += [test for test in some if test not in failed]
        if failed:
            return Confirmed((*failed, *left), tuple(unsteady))
    return Confirmed(tuple(left), tuple(unsteady))


async def _again(
    case: VerificationCase, patches: tuple[Patch, ...], tests: list[str], *, on_base: bool
) -> list[str]:
    # A command with ids is another test: that with the patch's own files.
    is_command = case.plan.runner is TestRunner.COMMAND
    ids = None if is_command and on_base else frozenset(tests)
    limit = case.enough(case.usual_s)
    sides = [(patches, n) for n in _TWICE] + [((), n) for n in _TWICE if on_base]
    executed = await case.executions.run_all(
        [Execution(patches=side, ids=ids, limit_s=limit, round=n) for side, n in sides]
    )
    reports = [one.run.report for one in executed]
    on_patch, base = reports[: len(_TWICE)], reports[len(_TWICE) :]
    return [
        test
        for test in tests
        if not any(is_fine(case, report, test) for report in on_patch)
        and all(is_fine(case, report, test) for report in base)
    ]


def is_fine(case: VerificationCase, report: TestReport, test: str) -> bool:
    """Passed, or no worse than on base; a file is fine when it could be loaded."""
    outcome = report.outcomes.get(test)
    if outcome is None:
        is_red = report.is_red(test) or test in report.collection_errors
        return test not in case.baseline.known and not is_red and report.finished
    return outcome in {Outcome.PASSED, Outcome.XPASSED, case.baseline.first.outcomes.get(test)}
