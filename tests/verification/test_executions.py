"""Results of executions are kept by content, and the newest of them."""

from yudai.testing.domain.report import TestReport
from yudai.testing.run import TestRun
from yudai.verification.executions import Executed, Results

EXECUTED = Executed(TestRun(TestReport(outcomes={}, exit_code=0, finished=True), ""))


def test_what_is_asked_for_again_is_kept_longest():
    results = Results()
    for number in range(256):
        results.keep(str(number), EXECUTED)
    assert results.known("0") is EXECUTED
    results.keep("new", EXECUTED)
    assert results.known("0") is EXECUTED
    assert results.known("1") is None
