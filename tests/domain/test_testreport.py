import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.domain.testreport import Baseline, Outcome, TestReport, read_report


def lines(*events: dict[str, object]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def result(test: str, outcome: str = "passed") -> dict[str, object]:
    return {"event": "result", "id": test, "outcome": outcome}


def finished(collected: int) -> dict[str, object]:
    return {"event": "finished", "collected": collected}


def report(**outcomes: str) -> TestReport:
    words = {test: Outcome(outcome) for test, outcome in outcomes.items()}
    return TestReport(outcomes=words, exit_code=0, finished=True)


def test_a_complete_report():
    text = lines(
        {"event": "uncollected", "id": "b.py"},
        {"event": "started", "id": "a"},
        result("a"),
        result("b", "skipped"),
        finished(2),
    )
    found = read_report(text, exit_code=1, duration_s=2.5)
    assert found.finished
    assert found.outcomes == {"a": Outcome.PASSED, "b": Outcome.SKIPPED}
    assert found.collection_errors == ("b.py",)
    assert (found.exit_code, found.duration_s) == (1, 2.5)
    assert found.executed == {"a"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        lines(result("a")),
        lines(result("a"), finished(2)),
        lines(result("a"), result("b"), finished(1)),
        lines(result("a"), finished(1), finished(1)),
        lines(result("a"), finished(1), {"event": "started", "id": "b"}),
        lines(result("a")) + "garbage\n" + lines(finished(1)),
        lines(result("a")) + '{"event": "cheated"}\n' + lines(finished(1)),
        lines(result("a"), finished(1))[:-1],
        lines(result("a"), finished(1)) + "{",
        lines(result("a", "excellent"), finished(1)),
    ],
)
def test_anything_less_is_not_finished(text: str):
    assert not read_report(text, exit_code=0).finished


def test_a_run_that_was_stopped_is_not_finished_whatever_it_wrote():
    found = read_report(lines(finished(0)), exit_code=0, timed_out=True)
    assert (found.finished, found.timed_out) == (False, True)


def test_a_test_that_began_and_never_ended_is_an_error():
    found = read_report(lines(result("a"), {"event": "started", "id": "b"}), exit_code=0)
    assert found.outcomes == {"a": Outcome.PASSED, "b": Outcome.ERROR}


def test_of_two_results_of_one_test_the_red_one_counts():
    text = lines(result("a", "failed"), result("a"), result("b"), result("b", "error"), finished(4))
    assert read_report(text, exit_code=0).outcomes == {"a": Outcome.FAILED, "b": Outcome.ERROR}


def test_trouble_beside_the_tests_is_red_but_not_counted():
    text = lines(result("a"), {"event": "trouble", "id": "tearDownClass (A)"}, finished(1))
    found = read_report(text, exit_code=0)
    assert found.finished
    assert found.is_red("tearDownClass (A)")


@pytest.mark.parametrize("error", ["tests/test_a.py", "tests", "tests.test_a"])
def test_a_file_that_cannot_be_collected_hides_its_tests(error: str):
    found = TestReport(outcomes={}, exit_code=1, finished=True, collection_errors=(error,))
    test = "tests.test_a.A.x" if error == "tests.test_a" else "tests/test_a.py::test_x"
    assert found.is_red(test)
    assert not found.is_red("other/test_a.py::test_x")


@given(st.text())
def test_no_text_is_too_odd_to_read(text: str):
    assert isinstance(read_report(text, exit_code=0), TestReport)


def test_baselines_know_what_is_steady():
    first = report(good="passed", bad="failed", moody="passed", idle="skipped", gone="passed")
    second = report(good="passed", bad="failed", moody="failed", idle="skipped")
    baseline = Baseline(first=first, second=second, command="python -m pytest")
    assert baseline.flaky == {"moody", "gone"}
    assert baseline.passing == {"good"}
    assert baseline.failing == {"bad"}
    assert baseline.executed == {"good", "bad"}
    assert baseline.known == {"good", "bad", "moody", "idle", "gone"}


def test_a_baseline_survives_json():
    baseline = Baseline(first=report(a="passed"), second=report(a="failed"), command="x")
    assert Baseline.model_validate_json(baseline.model_dump_json()) == baseline
