"""Examines one patch: base's tests on it, its own tests on both, and every failure again, alone."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.patches.patch import readable
from yudai.testing.domain.report import NO_REPORT, RED, Outcome, TestReport
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Parts, Texts, VerificationCase
from yudai.verification.confirm import Confirmed, confirm
from yudai.verification.domain.expectations import Expectation, gives
from yudai.verification.domain.expected_tests import match_expectations
from yudai.verification.domain.facts import BaseProof, Examined, OpenExpectation
from yudai.verification.domain.intent import size_of, without_proof
from yudai.verification.domain.judge import Comparison, compare
from yudai.verification.look import Looked, read_existing
from yudai.verification.own_tests import Shown, weigh_fixed, weigh_own_tests
from yudai.verification.stages import Stage, StageResults, examine, titled

_MOST_FIXED = 20


class Found(NamedTuple):
    examined: Examined
    log: str


class _Facts(NamedTuple):
    """What the executions gave, with failures confirmed."""

    comparison: Comparison
    base: Confirmed
    own: Confirmed
    shown: Shown
    fixed: tuple[BaseProof, ...]
    edited: Mapping[str, Sequence[Expectation]]


async def examine_patch(case: VerificationCase, parts: Parts, looked: Looked) -> Found:
    edited = match_expectations(looked.suspicion.expectations, sorted(case.baseline.known))
    results = await examine(case, parts, edited)
    comparison = compare(case.baseline, results.on_patch.run.report)
    own_failed = _own_failed(case, results)
    both = (parts.source, parts.tests)
    suspects = {*comparison.broken, *comparison.missing}
    base, own = await gather(
        [
            confirm(case, (parts.source,), suspects, on_base=True),
            confirm(case, both, own_failed, on_base=False),
        ]
    )
    shown = await weigh_own_tests(case, parts, looked.readings, results)
    texts = await _texts_of(case, comparison.fixed)
    fixed = weigh_fixed(case, looked.readings, comparison.fixed, texts)
    facts = _Facts(comparison, base, own, shown, fixed, edited)
    return Found(_examined(case, parts, looked, results, facts), titled(results.all))


def _own_failed(case: VerificationCase, results: StageResults) -> list[str]:
    on_patch = results.own_tests.on_patch or NO_REPORT
    new = results.own_tests.new(case.baseline)
    uncollected = set(on_patch.collection_errors) - set(case.baseline.first.collection_errors)
    return [*uncollected, *(test for test in new if on_patch.outcomes[test] in RED)]


async def _texts_of(case: VerificationCase, fixed: tuple[str, ...]) -> Texts:
    """Of base's files with tests that were red: whether they are about the issue."""
    files = {test.partition("::")[0] for test in fixed[:_MOST_FIXED] if "::" in test}
    if not files or case.plan.runner is TestRunner.COMMAND:
        return {}
    async with case.executions.sandboxes.open() as sandbox:
        return await read_existing(sandbox, sorted(files))


def _examined(
    case: VerificationCase, parts: Parts, looked: Looked, results: StageResults, facts: _Facts
) -> Examined:
    suspicion, on_patch = looked.suspicion, results.on_patch
    own_report = results.own_tests.on_patch
    failed = frozenset(facts.base.failed)
    expectations = _expectations(case, facts, own_report)
    needed = {one.line for test in expectations for one in facts.edited[test.test]}
    return Examined(
        fixed=facts.fixed,
        broken=tuple(test for test in facts.comparison.broken if test in failed),
        missing=tuple(test for test in facts.comparison.missing if test in failed),
        flaky=tuple(sorted(case.baseline.flaky)),
        unsteady=(*facts.base.unsteady, *facts.own.unsteady, *facts.shown.unsteady),
        unfinished=_unfinished(case, on_patch.run.report),
        own=facts.shown.tests,
        own_names=tuple(results.own_tests.new(case.baseline)),
        own_failed=facts.own.failed,
        own_unfinished="" if own_report is None else _ending(own_report),
        expectations=expectations,
        tampered=(*_unneeded(suspicion.tampered, needed), *_rewritten(on_patch)),
        withheld=suspicion.withheld,
        doubt=_doubt(case, on_patch.run.report, own_report),
        executed=len(on_patch.run.report.executed),
        baseline_executed=len(case.baseline.executed),
        size=size_of(parts.source),
        is_asked_without_proof=without_proof(case.issue.partition("\n")[0], parts.source),
    )


def _expectations(
    case: VerificationCase, facts: _Facts, own: TestReport | None
) -> tuple[OpenExpectation, ...]:
    """Edits that the patch needs: base's own version fails with it, and the edited one passes."""
    outcomes = {} if own is None else own.outcomes
    return tuple(
        OpenExpectation(
            test=test,
            path=one.path,
            before=one.before,
            now=one.now,
            given=gives(case.issue, one.now),
        )
        for test, values in facts.edited.items()
        for one in values
        if test in facts.base.failed and outcomes.get(test) is Outcome.PASSED
    )


def _unneeded(tampered: tuple[str, ...], needed: set[str]) -> tuple[str, ...]:
    return tuple(line for line in tampered if line not in needed)


def _rewritten(on_patch: Stage) -> list[str]:
    return [f"{readable(path)}: was changed while the tests ran" for path in on_patch.rewritten]


def _unfinished(case: VerificationCase, report: TestReport) -> str:
    """A suite that dies on base, too, gives the tests that it ran."""
    is_whole = case.baseline.first.finished or case.baseline.second.finished
    return _ending(report) if is_whole else ""


def _ending(report: TestReport) -> str:
    if report.finished:
        return ""
    return "ran out of time" if report.timed_out else "did not run to their end"


def _doubt(case: VerificationCase, after: TestReport, own: TestReport | None) -> str:
    baseline = case.baseline
    ran = baseline.executed or after.executed or (own is not None and own.executed)
    if ran:
        return ""
    is_whole = baseline.first.finished or baseline.second.finished
    return "no tests could be run" if is_whole else "base's own tests do not run to their end"
