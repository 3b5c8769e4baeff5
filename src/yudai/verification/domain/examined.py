"""Turns test reports into the facts about one patch."""

from typing import NamedTuple

from yudai.testing.domain.report import NO_REPORT, RED, Baseline, TestReport
from yudai.verification.domain.expectations import gives
from yudai.verification.domain.expected_tests import NONE_EDITED, EditedTests
from yudai.verification.domain.facts import NO_TESTS, BaseProof, Examined, OpenExpectation
from yudai.verification.domain.judge import (
    NO_OWN_TESTS,
    NO_SUSPICION,
    Comparison,
    OwnTests,
    Suspicion,
    compare,
)
from yudai.verification.domain.proof import OwnTest


class Reports(NamedTuple):
    """The test reports of one patch."""

    baseline: Baseline
    on_patch: TestReport
    """Base's tests on the patch without the patch's tests."""
    own: OwnTests = NO_OWN_TESTS

    @property
    def comparison(self) -> Comparison:
        return compare(self.baseline, self.on_patch)

    @property
    def suspects(self) -> frozenset[str]:
        """Tests of base whose failure would fail the patch."""
        return frozenset(self.comparison.broken + self.comparison.missing)

    @property
    def own_suspects(self) -> tuple[str, ...]:
        """The patch's own tests, and their files, that fail on the patch itself."""
        report = self.own.on_patch or NO_REPORT
        new = self.own.new(self.baseline)
        uncollected = set(report.collection_errors) - set(self.baseline.first.collection_errors)
        return (*sorted(uncollected), *(test for test in new if report.outcomes[test] in RED))


class Confirmation(NamedTuple):
    """Tests that failed again when rerun alone, and those that did not."""

    base: frozenset[str]
    own: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()


class Shown(NamedTuple):
    """The tests that go from red to green."""

    own: tuple[OwnTest, ...] = ()
    fixed: tuple[BaseProof, ...] = ()


def examined_of(
    reports: Reports,
    confirmed: Confirmation,
    shown: Shown,
    *,
    suspicion: Suspicion = NO_SUSPICION,
    edited: EditedTests = NONE_EDITED,
    issue: str = "",
) -> Examined:
    baseline, on_patch, own = reports
    comparison = reports.comparison
    expectations = _expectations(confirmed, edited, issue)
    needed = {one.line for test in expectations for one in edited.expectations[test.test]}
    return Examined(
        fixed=shown.fixed,
        broken=tuple(test for test in comparison.broken if test in confirmed.base),
        missing=tuple(test for test in comparison.missing if test in confirmed.base),
        flaky=tuple(sorted(baseline.flaky)),
        unsteady=confirmed.unsteady,
        unfinished=_ending(on_patch) if _is_whole(baseline) else "",
        own=shown.own,
        own_names=tuple(own.new(baseline)),
        own_failed=confirmed.own,
        own_unfinished="" if own.on_patch is None else _ending(own.on_patch),
        expectations=expectations,
        tampered=tuple(line for line in suspicion.tampered if line not in needed),
        withheld=suspicion.withheld,
        doubt=_doubt(reports),
        executed=len(on_patch.executed),
        baseline_executed=len(baseline.executed),
    )


def unseen(suspicion: Suspicion) -> Examined:
    """The facts about a patch for a repository without runnable tests."""
    return Examined(doubt=NO_TESTS, tampered=suspicion.tampered, withheld=suspicion.withheld)


def _expectations(
    confirmed: Confirmation, edited: EditedTests, issue: str
) -> tuple[OpenExpectation, ...]:
    """Edits that the patch needs: base's version of the test fails, and the edited one passes."""
    return tuple(
        OpenExpectation(
            test=test,
            path=one.path,
            before=one.before,
            now=one.now,
            as_test=edited.renamed.get(test, ""),
            given=gives(issue, one),
        )
        for test, values in edited.expectations.items()
        for one in values
        if test in confirmed.base and edited.passes(test)
    )


def _is_whole(baseline: Baseline) -> bool:
    """Whether base's suite finished at least once."""
    return baseline.first.finished or baseline.second.finished


def _ending(report: TestReport) -> str:
    if report.finished:
        return ""
    return "ran out of time" if report.timed_out else "did not run to their end"


def _doubt(reports: Reports) -> str:
    baseline, after, own = reports
    own_executed = own.on_patch.executed if own.on_patch else frozenset[str]()
    if baseline.executed or after.executed or own_executed:
        return ""
    if _is_whole(baseline):
        return NO_TESTS
    return "base's own tests do not run to their end"
