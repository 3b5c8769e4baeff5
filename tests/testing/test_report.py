import pytest

from yudai.testing.domain.report import Baseline, Outcome, TestPlan, TestReport
from yudai.testing.domain.runners import TestRunner


def report(**outcomes: str) -> TestReport:
    words = {test: Outcome(outcome) for test, outcome in outcomes.items()}
    return TestReport(outcomes=words, exit_code=0, finished=True)


@pytest.mark.parametrize("error", ["tests/test_a.py", "tests", "tests.test_a"])
def test_a_file_that_cannot_be_collected_hides_its_tests(error: str):
    found = TestReport(outcomes={}, exit_code=1, finished=True, collection_errors=(error,))
    test = "tests.test_a.A.x" if error == "tests.test_a" else "tests/test_a.py::test_x"
    assert found.is_red(test)
    assert not found.is_red("other/test_a.py::test_x")


def test_baselines_know_what_is_steady():
    first = report(good="passed", bad="failed", moody="passed", idle="skipped", gone="passed")
    second = report(good="passed", bad="failed", moody="failed", idle="skipped")
    baseline = Baseline(first=first, second=second, command="python -m pytest")
    assert baseline.flaky == {"moody", "gone"}
    assert baseline.passing == {"good"}
    assert baseline.failing == {"bad"}
    assert baseline.executed == {"good", "bad"}
    assert baseline.known == {"good", "bad", "moody", "idle", "gone"}


def test_a_command_with_a_patchs_tests_is_another_test():
    plan = TestPlan(runner=TestRunner.COMMAND, python="", args=("make t",), command="make t")
    assert plan.own_id == "make t (with the patch's tests)"


def test_a_baseline_survives_json():
    baseline = Baseline(first=report(a="passed"), second=report(a="failed"), command="x")
    assert Baseline.model_validate_json(baseline.model_dump_json()) == baseline
