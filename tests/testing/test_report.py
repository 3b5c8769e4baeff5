import pytest

from yudai.testing.domain.report import (
    NO_REPORT,
    NOT_SAID,
    Baseline,
    Failure,
    FailureKind,
    Outcome,
    TestPlan,
    TestReport,
)
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


DEAD: dict[str, object] = {"finished": False}
EMPTY = report()
LOST = EMPTY.model_copy(update={"collection_errors": ("b.py", "a.py")})


@pytest.mark.parametrize(
    ("first", "second", "is_partial", "is_verifiable"),
    [
        (report(a="passed"), report(a="passed"), False, True),
        (report(a="passed").model_copy(update=DEAD), report(a="passed"), False, True),
        (report(a="passed").model_copy(update=DEAD), NO_REPORT, True, True),
        (report(a="skipped").model_copy(update=DEAD), NO_REPORT, False, False),
        (EMPTY, EMPTY, False, True),
        (report(a="skipped"), report(a="skipped"), False, True),
        (LOST, LOST, False, False),
        (LOST.model_copy(update=DEAD), LOST.model_copy(update=DEAD), False, False),
        (NO_REPORT, NO_REPORT, False, False),
    ],
)
def test_what_a_baseline_is_good_for(
    first: TestReport, second: TestReport, *, is_partial: bool, is_verifiable: bool
):
    baseline = Baseline(first=first, second=second, command="x")
    assert (baseline.is_partial, baseline.is_verifiable) == (is_partial, is_verifiable)


def test_a_baseline_names_what_could_not_be_loaded_both_times():
    other = EMPTY.model_copy(update={"collection_errors": ("c.py", "b.py", "a.py")})
    assert Baseline(first=LOST, second=other, command="x").unloaded == ("a.py", "b.py")


def test_how_a_test_failed_may_stand_with_its_file():
    failed, lost = Failure(kind=FailureKind.ASSERTION), Failure(kind=FailureKind.IMPORT)
    found = report(**{"a.py::x": "failed", "a.py::y": "passed", "a.py::z": "error"}).model_copy(
        update={"collection_errors": ("b.py",), "failures": {"a.py::x": failed, "b.py": lost}}
    )
    assert found.failure_of("a.py::x") == failed
    assert found.failure_of("a.py::y") is None
    assert found.failure_of("a.py::z") == NOT_SAID
    assert found.failure_of("b.py::x") == lost
    assert found.failure_of("c.py::x") is None


def test_a_command_with_a_patchs_tests_is_another_test():
    plan = TestPlan(runner=TestRunner.COMMAND, python="", args=("make t",), command="make t")
    assert plan.own_id == "make t (with the patch's tests)"


def test_a_baseline_survives_json():
    baseline = Baseline(first=report(a="passed"), second=report(a="failed"), command="x")
    assert Baseline.model_validate_json(baseline.model_dump_json()) == baseline


def test_a_failure_in_a_line():
    def said(**facts: str) -> str:
        return Failure.model_validate({"kind": FailureKind.ASSERTION, **facts}).line

    assert said(type="AssertionError", message="assert 1 == 2\n where") == (
        "AssertionError: assert 1 == 2 where"
    )
    assert said(type="ValueError", message="ValueError: bad") == "ValueError: bad"
    assert (said(type="ValueError"), said(message="gone"), said()) == ("ValueError", "gone", "")
    assert len(said(message="x" * 9000)) == 300
