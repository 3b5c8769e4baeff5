import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.testing.domain.report import Outcome, TestReport
from yudai.testing.domain.report_lines import Ending, read_report, seal

KEY = b"only the reporter has it"


def lines(*events: dict[str, object]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def result(test: str, outcome: str = "passed") -> dict[str, object]:
    return {"event": "result", "id": test, "outcome": outcome}


def sealed(content: bytes, collected: int, key: bytes = KEY) -> bytes:
    end: dict[str, object] = {
        "event": "finished",
        "collected": collected,
        "seal": seal(content, key),
    }
    return content + lines(end)


def read(content: bytes) -> TestReport:
    return read_report(content, Ending(exit_code=0), key=KEY)


def test_a_complete_report():
    content = lines(
        {"event": "uncollected", "id": "b.py"},
        {"event": "started", "id": "a"},
        result("a"),
        result("b", "skipped"),
    )
    found = read_report(sealed(content, 2), Ending(1, 2.5), key=KEY)
    assert found.finished
    assert found.outcomes == {"a": Outcome.PASSED, "b": Outcome.SKIPPED}
    assert found.collection_errors == ("b.py",)
    assert (found.exit_code, found.duration_s) == (1, 2.5)
    assert found.executed == {"a"}


def test_a_report_of_nothing_can_be_complete():
    assert read(sealed(b"", 0)).finished


ONE = lines(result("a"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        ONE,
        sealed(ONE, 2),
        sealed(ONE + ONE, 1),
        sealed(ONE, 1, key=b"another"),
        ONE + lines({"event": "finished", "collected": 1}),
        sealed(ONE, 1) + lines({"event": "started", "id": "b"}),
        sealed(ONE, 1) + sealed(ONE, 1),
        sealed(lines(result("a", "failed")), 1).replace(b"failed", b"passed"),
        lines(result("b")) + sealed(ONE, 2),
        sealed(ONE, 1) + b"{",
        sealed(ONE, 1)[:-20],
    ],
)
def test_anything_less_is_not_finished(content: bytes):
    assert not read(content).finished


def test_a_run_that_was_stopped_is_not_finished_whatever_it_wrote():
    found = read_report(sealed(ONE, 1), Ending(0, timed_out=True), key=KEY)
    assert (found.finished, found.timed_out) == (False, True)


def test_a_test_that_began_and_never_ended_is_an_error():
    found = read(lines(result("a"), {"event": "started", "id": "b"}))
    assert found.outcomes == {"a": Outcome.PASSED, "b": Outcome.ERROR}


def test_of_two_results_of_one_test_the_red_one_counts():
    content = lines(result("a", "failed"), result("a"), result("b"), result("b", "error"))
    assert read(sealed(content, 4)).outcomes == {"a": Outcome.FAILED, "b": Outcome.ERROR}


def test_trouble_beside_the_tests_is_red_but_not_counted():
    content = lines(result("a"), {"event": "trouble", "id": "tearDownClass (A)"})
    found = read(sealed(content, 1))
    assert found.finished
    assert found.is_red("tearDownClass (A)")


@given(st.binary(), st.binary())
def test_no_content_is_too_odd_to_read(before: bytes, after: bytes):
    assert isinstance(read(before), TestReport)
    assert not read(sealed(before, 0) + after.rstrip(b"\n") + b"x").finished


def test_ids_of_a_folder_start_at_the_workspace():
    content = sealed(lines({"event": "uncollected", "id": "b.py"}, result("a.py::x")), 1)
    found = read_report(content, Ending(0), key=KEY, prefix="sub/")
    assert (list(found.outcomes), found.collection_errors) == (["sub/a.py::x"], ("sub/b.py",))
    assert found.finished
