"""What verification found of one patch."""

from enum import StrEnum

from yudai.kit.value import Value
from yudai.testing.domain.report import Baseline


class VerdictStatus(StrEnum):
    PASSED = "passed"
    UNPROVED = "unproved"
    FAILED = "failed"
    UNVERIFIED = "unverified"
    NONE = "none"


class Evidence(Value):
    """The facts behind a verdict."""

    proved_by: tuple[str, ...] = ()
    """Tests red on base and green on this patch: the base's, its own, other contestants'."""
    own_tests: tuple[str, ...] = ()
    """New tests that this patch brought."""
    valid_tests: tuple[str, ...] = ()
    """Own tests that fail on base and pass on this patch."""
    own_failed: tuple[str, ...] = ()
    """Own tests that fail on this very patch."""
    cross_passed: tuple[str, ...] = ()
    cross_failed: tuple[str, ...] = ()
    """Other contestants' valid tests, as `handle::test id`."""
    withheld: tuple[str, ...] = ()
    """Files of the patch that were never applied, because they change how tests are run."""
    executed: int = 0
    baseline_executed: int = 0


class Verdict(Value):
    status: VerdictStatus
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    tampered: tuple[str, ...] = ()
    evidence: Evidence = Evidence()
    summary: str = ""
    """One line for a person."""


NOTHING = Verdict(status=VerdictStatus.NONE, summary="nothing to verify")


def refused(reason: str) -> Verdict:
    """The verdict on a patch that cannot even be applied."""
    return Verdict(status=VerdictStatus.FAILED, summary=reason)


class Tally(Value):
    passed: int
    failed: int
    total: int


def tally(verdict: Verdict, baseline: Baseline | None) -> Tally | None:
    """Base's own tests and the patch's own ones; None when none were executed."""
    evidence = verdict.evidence
    executed = evidence.executed + len(evidence.own_tests)
    failed = {*verdict.broken, *evidence.own_failed}
    if not executed and not failed:
        return None
    if baseline is not None:
        failed |= baseline.failing - {*verdict.fixed, *verdict.missing}
    # A file that cannot be collected is red without ever having been executed.
    total = max(executed, len(failed))
    return Tally(passed=total - len(failed), failed=len(failed), total=total)
