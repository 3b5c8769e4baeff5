"""How many tests are red and green with a run's patch, as far as its verdict tells."""

from yudai.kit.value import Value
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.verdict import Verdict


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
