"""Examines one patch: base's tests on it, its own tests on both, and every failure again, alone."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.patches.patch import Patch, readable
from yudai.testing.domain.report import Outcome, TestReport
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Parts, Texts, VerificationCase
from yudai.verification.domain.examined import Confirmation, Reports, Shown, examined_of
from yudai.verification.domain.expected_tests import (
    EditedTests,
    match_expectations,
    match_tests,
)
from yudai.verification.domain.facts import Examined
from yudai.verification.domain.intent import is_about_performance, without_proof
from yudai.verification.domain.judge import OwnTests
from yudai.verification.domain.proof import Faster
from yudai.verification.domain.rules import Rule
from yudai.verification.domain.size.size import size_of
from yudai.verification.executions import Execution
from yudai.verification.look import Looked, read_existing
from yudai.verification.own_tests import weigh_fixed, weigh_own_tests, weigh_review
from yudai.verification.speed import base_candidates, measure_base, measure_own
from yudai.verification.stages import Edited, Stage, StageResults, examine, titled

_MOST_FIXED = 20
MOST_AT_ONCE = 10
_MOST_TIMES = 5
_TWICE = (1, 2)


class Found(NamedTuple):
    examined: Examined
    log: str


async def examine_patch(case: VerificationCase, parts: Parts, looked: Looked) -> Found:
    suspicion, before = looked.suspicion, list(case.baseline.first.outcomes)
    edited = Edited(
        match_expectations(suspicion.expectations, before), match_tests(suspicion.grown, before)
    )
    results = await examine(case, parts, edited)
    reports = Reports(case.baseline, results.on_patch.run.report, results.own_tests)
    both = (parts.source, parts.tests)
    base, own = await gather(
        [
            confirm(case, (parts.source,), reports.suspects, on_base=True),
            confirm(case, both, reports.own_suspects, on_base=False),
        ]
    )
    weighed = await weigh_own_tests(case, parts, looked.readings, results)
    fixed = reports.comparison.fixed
    shown = Shown(
        weighed.tests,
        weigh_fixed(case, looked.readings, fixed, await _texts_of(case, fixed)),
    )
    unsteady = (*base.unsteady, *own.unsteady, *weighed.unsteady)
    rewritten = _rewritten(results.on_patch)
    examined = examined_of(
        reports,
        Confirmation(frozenset(base.failed), own.failed, unsteady),
        shown,
        suspicion=suspicion._replace(tampered=(*suspicion.tampered, *rewritten)),
        edited=await _edited(case, parts, results, base.failed),
        issue=case.issue,
    )
    readings = looked.readings
    size = size_of(parts.source, readings.sources_before, readings.sources_after)
    title = case.issue.partition("\n")[0]
    is_proved = bool(examined.fixed) or any(test.proves for test in examined.own)
    is_measured = is_about_performance(title) and not is_proved
    facts = {
        "size": size,
        "is_asked_without_proof": without_proof(title, parts.source, size),
        "faster": await _faster(case, parts, looked, results) if is_measured else (),
    }
    found = examined.model_copy(update=facts)
    return Found(_reviewed(case, parts, looked, found, reports.own), titled(results.all))


def _reviewed(
    case: VerificationCase, parts: Parts, looked: Looked, examined: Examined, own: OwnTests
) -> Examined:
    """Examine a patch that holds only tests: those that are red on base may convict answers."""
    is_command = case.plan.runner is TestRunner.COMMAND
    if parts.source.files or not parts.tests.files or own.on_patch is None or is_command:
        return examined
    red = weigh_review(case, parts, looked.readings, own.on_patch, examined.own_failed)
    facts = {"own": red, "own_failed": (), "tests_only": True, "is_asked_without_proof": ""}
    return examined.model_copy(update=facts)


async def _edited(
    case: VerificationCase, parts: Parts, results: StageResults, broken: Collection[str]
) -> EditedTests:
    """Results of the edited tests; those in files that the patch does not touch run alone."""
    outcomes = dict(results.own_tests.on_patch.outcomes if results.own_tests.on_patch else {})
    expectations, renamed = results.edited.expectations, results.renamed
    left = frozenset(t for t in expectations if t in broken and renamed.get(t, t) not in outcomes)
    if left and case.plan.runner is not TestRunner.COMMAND:
        limit = case.enough(case.usual_s)
        both = Execution(patches=(parts.source, parts.tests), ids=left, limit_s=limit)
        outcomes |= (await case.executions.run(both)).run.report.outcomes
    return EditedTests(expectations, renamed, outcomes)


async def _faster(
    case: VerificationCase, parts: Parts, looked: Looked, results: StageResults
) -> tuple[Faster, ...]:
    own = await measure_own(case, parts, looked.readings, results)
    tests = base_candidates(case, parts, results.on_patch.run.report)
    if own or not tests:
        return own
    return await measure_base(case, parts, tests, await _texts_of(case, tests))


async def _texts_of(case: VerificationCase, tests: Sequence[str]) -> Texts:
    """Texts of base's files with these tests, to see whether they are about the issue."""
    files = {test.partition("::")[0] for test in tests[:_MOST_FIXED] if "::" in test}
    if not files or case.plan.runner is TestRunner.COMMAND:
        return {}
    async with case.executions.sandboxes.open() as sandbox:
        return await read_existing(sandbox, sorted(files))


def _rewritten(on_patch: Stage) -> list[str]:
    return [f"{readable(path)}: was changed while the tests ran" for path in on_patch.rewritten]


class Confirmed(NamedTuple):
    failed: tuple[str, ...]
    unsteady: tuple[str, ...]
    """Tests that passed when they ran again, or failed on base."""


async def confirm(
    case: VerificationCase, patches: tuple[Patch, ...], tests: Collection[str], *, on_base: bool
) -> Confirmed:
    """Rerun failures alone: twice on the patch and, for tests that base passes, twice on base.

    After one confirmed failure the others are not rerun.
    """
    left = sorted(tests)
    if Rule.FAILURES_ARE_CONFIRMED not in case.rules:
        return Confirmed(tuple(left), ())
    unsteady: list[str] = []
    for turn in range(_MOST_TIMES):
        # The remaining tests run together.
        most = MOST_AT_ONCE if turn < _MOST_TIMES - 1 else len(left)
        some, left = left[:most], left[most:]
        if not some:
            break
        failed = await _again(case, patches, some, on_base=on_base)
        unsteady += [test for test in some if test not in failed]
        if failed:
            return Confirmed((*failed, *left), tuple(unsteady))
    return Confirmed((), tuple(unsteady))


async def _again(
    case: VerificationCase, patches: tuple[Patch, ...], tests: list[str], *, on_base: bool
) -> list[str]:
    # For a plain command, ids select another test: the command with the patch's test files.
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
    """Whether a test passed or did no worse than on base; a file only has to load."""
    outcome = report.outcomes.get(test)
    if outcome is None:
        is_red = report.is_red(test) or test in report.collection_errors
        return test not in case.baseline.known and not is_red and report.finished
    return outcome in {Outcome.PASSED, Outcome.XPASSED, case.baseline.first.outcomes.get(test)}
