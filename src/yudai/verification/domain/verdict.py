"""The verdict on one patch, with its evidence."""

from enum import StrEnum

from yudai.kit.value import Value
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.proof import Faster, ProofKind, Subject


class VerdictStatus(StrEnum):
    PASSED = "passed"
    UNPROVED = "unproved"
    FAILED = "failed"
    UNVERIFIED = "unverified"
    NONE = "none"


class Weighed(Value):
    """A valid test of this patch, and the facts that decide whether it proves."""

    test: str
    kind: ProofKind
    tied: bool = False
    """It calls what the issue names, with something that the issue gives."""
    subjects: tuple[Subject, ...] = ()
    """What it checks besides behaviour; such a test neither proves nor convicts."""
    symbols: tuple[str, ...] = ()
    """New definitions that it uses and the issue does not name."""
    support: int = 0
    """Number of independent answers that pass it, its author's included."""


class ChangedExpectation(Value):
    """A test of base in which this patch changes the expected value without weakening it."""

    test: str
    before: str
    now: str
    says: tuple[str, ...] = ()
    """The sources of the change: handles of independent answers, "the issue", "a person"."""
    accepted: bool = False


class Evidence(Value):
    """The facts behind a verdict."""

    proved_by: tuple[str, ...] = ()
    """Tests that prove this patch: base's, its own, other contestants'."""
    weighed: tuple[Weighed, ...] = ()
    """Its own valid tests, with what each shows."""
    changed_expectations: tuple[ChangedExpectation, ...] = ()
    faster: tuple[Faster, ...] = ()
    """Tests that prove it by being at least twice as fast as on base, in each of five runs."""
    own_tests: tuple[str, ...] = ()
    """New tests that this patch adds."""
    valid_tests: tuple[str, ...] = ()
    """Own tests that fail on base and pass on this patch."""
    own_failed: tuple[str, ...] = ()
    """Own tests that fail on this very patch."""
    cross_passed: tuple[str, ...] = ()
    cross_failed: tuple[str, ...] = ()
    """Other contestants' valid tests, as `handle::test id`."""
    joined: str = ""
    """Another contestant's test that is published with this patch, as `handle::test id`."""
    unsteady: tuple[str, ...] = ()
    """Tests that failed once and passed when they ran again alone."""
    values: tuple[str, ...] = ()
    """Remarks on values computed outside a test runner; they decide nothing."""
    withheld: tuple[str, ...] = ()
    """Files of the patch that are never applied, because they change how tests are run."""
    support: int = 0
    """Independent answers that agree with this one in all tests that count, this one included."""
    failures: int = 0
    """Tests of other answers that it fails and that do not convict it."""
    size: int = 0
    """Lines of code changed: no comments, blank lines, documents, changelogs or tests."""
    executed: int = 0
    baseline_executed: int = 0


class Verdict(Value):
    status: VerdictStatus
    proof: ProofKind = ProofKind.NONE
    """The strongest kind of proof it has."""
    tied: bool = False
    """Whether one of its proofs is about this issue."""
    convicted_by: tuple[str, ...] = ()
    """Tests of other contestants that failed it, as `handle::test id`."""
    not_run: tuple[str, ...] = ()
    """Tests that count but could not be run on this patch."""
    same_as: str = ""
    """The handle of the equal answer that was verified instead."""
    agreement: int = 1
    """Number of contestants that gave this answer."""
    rules: int = 0
    """Version of the rules; 0 for verdicts from before versions existed."""
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
    """The verdict on a patch that cannot be applied."""
    return Verdict(status=VerdictStatus.FAILED, summary=reason)


class Tally(Value):
    passed: int
    failed: int
    total: int


def tally(verdict: Verdict, baseline: Baseline | None) -> Tally | None:
    """Counts of base's tests and of the patch's own; None if none were executed."""
    evidence = verdict.evidence
    executed = evidence.executed + len(evidence.own_tests)
    failed = {*verdict.broken, *evidence.own_failed}
    if not executed and not failed:
        return None
    if baseline is not None:
        failed |= baseline.failing - {*verdict.fixed, *verdict.missing}
    # A file that cannot be collected is red although it never ran.
    total = max(executed, len(failed))
    return Tally(passed=total - len(failed), failed=len(failed), total=total)
