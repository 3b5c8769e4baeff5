from yudai.testing.domain.report import Baseline, Outcome, TestReport
from yudai.verification.domain.verdict import (
    NOTHING,
    Evidence,
    Tally,
    Verdict,
    VerdictStatus,
    refused,
    tally,
)

REPORT = TestReport(
    outcomes={"a": Outcome.PASSED, "b": Outcome.FAILED, "c": Outcome.ERROR, "d": Outcome.SKIPPED},
    exit_code=1,
    finished=True,
)
BASELINE = Baseline(first=REPORT, second=REPORT, command="pytest")


def test_what_was_red_and_stays_red_is_red():
    facts = Evidence(executed=3, own_tests=("own",))
    verdict = Verdict(status=VerdictStatus.PASSED, fixed=("b",), evidence=facts)
    assert tally(verdict, BASELINE) == Tally(passed=3, failed=1, total=4)
    assert tally(verdict, None) == Tally(passed=4, failed=0, total=4)


def test_what_breaks_is_red():
    facts = Evidence(executed=2, own_tests=("own",), own_failed=("own",))
    verdict = Verdict(
        status=VerdictStatus.FAILED, broken=("a",), missing=("c",), evidence=facts, fixed=("b",)
    )
    assert tally(verdict, BASELINE) == Tally(passed=1, failed=2, total=3)


def test_a_file_that_cannot_be_collected_is_red():
    verdict = Verdict(status=VerdictStatus.FAILED, broken=("test_a.py", "test_b.py"))
    assert tally(verdict, None) == Tally(passed=0, failed=2, total=2)


def test_nothing_executed_is_nothing_to_count():
    assert tally(NOTHING, BASELINE) is None
    assert tally(refused("it does not apply"), BASELINE) is None
