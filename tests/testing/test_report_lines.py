import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.testing.domain.report import Failure, FailureKind, Frame, Outcome, TestReport
from yudai.testing.domain.report_lines import Ending, read_report, seal

KEY = b"only the reporter has it"


def lines(*events: dict[str, object]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def result(test: str, outcome: str = "passed", **more: object) -> dict[str, object]:
    return {"event": "result", "id": test, "outcome": outcome, **more}


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


def failure(**facts: object) -> dict[str, object]:
    return {"kind": "assertion", **facts}


def test_the_failure_that_made_a_test_red_is_reported():
    content = lines(
        result("a", "failed", failure=failure(type="AssertionError", message="1 == 2")),
        result("a", "failed", failure=failure(message="later")),
        result("b", failure=failure()),
        {"event": "trouble", "id": "c", "failure": failure(kind="set_up")},
        {"event": "uncollected", "id": "d.py", "failure": failure(kind="import")},
        {"event": "uncollected", "id": "e.py"},
    )
    found = read(content)
    assert {test: str(f.kind) for test, f in found.failures.items()} == {
        "a": "assertion",
        "c": "set_up",
        "d.py": "import",
    }
    assert found.failures["a"].message == "1 == 2"


@pytest.mark.parametrize(
    ("timed_out", "kind"), [(True, FailureKind.TIMEOUT), (False, FailureKind.EXIT)]
)
def test_why_a_test_never_ended(*, timed_out: bool, kind: FailureKind):
    content = lines(
        {"event": "started", "id": "a"},
        {"event": "started", "id": "b"},
        {"event": "started", "id": "b", "failure": failure()},
        {"event": "started", "id": "c", "failure": failure()},
        result("c"),
    )
    found = read_report(content, Ending(0, timed_out=timed_out), key=KEY)
    kinds = {test: f.kind for test, f in found.failures.items()}
    assert kinds == {"a": kind, "b": FailureKind.ASSERTION}


def test_failures_are_bounded():
    frames = [{"path": f"a{n}.py", "line": -n} for n in range(30)]
    long = failure(type="T" * 999, message="m" * 999, frames=frames)
    found = read(lines(*(result(str(n), "failed", failure=long) for n in range(502))))
    first, last = found.failures["0"], found.failures["501"]
    assert (len(first.type), len(first.message)) == (200, 500)
    assert [frame.path for frame in first.frames] == [f"a{n}.py" for n in range(10, 30)]
    assert {frame.line for frame in first.frames} == {0}
    assert last == Failure(kind=FailureKind.ASSERTION, type="T" * 200)


@pytest.mark.parametrize("path", ["../a.py", "/etc/a.py", "a/../../b.py", "a//b.py", "", "x" * 501])
def test_frames_outside_of_the_workspace_are_left_out(path: str):
    frames = [{"path": path, "line": 1}, {"path": "a.py", "line": 2, "function": "f" * 999}]
    found = read(lines(result("a", "failed", failure=failure(frames=frames))))
    assert found.failures["a"].frames == (Frame(path="a.py", line=2, function="f" * 200),)


@pytest.mark.parametrize("odd", ["x", {"kind": "odd"}, {"kind": "exit", "more": 1}, [1]])
def test_a_line_with_an_odd_failure_is_none(odd: object):
    assert read(lines(result("a", "failed", failure=odd))).outcomes == {}


@pytest.mark.parametrize(
    ("seconds", "kept"),
    [("1.5", 1.5), ("0", 0.0), ("-1", None), ("NaN", None), ("Infinity", None), ("1e999", None)],
)
def test_durations_are_lengths_of_time(seconds: str, kept: float | None):
    line = f'{{"event": "result", "id": "a", "outcome": "passed", "seconds": {seconds}}}'
    found = read(line.encode())
    assert found.durations.get("a") == kept
    assert TestReport.model_validate_json(found.model_dump_json()) == found


def test_the_longest_time_of_a_test_counts():
    found = read(lines(result("a", seconds=1), result("a", seconds=2.5), result("a", seconds=2)))
    assert found.durations == {"a": 2.5}


def test_a_report_from_before_there_were_failures_can_be_read():
    stored = {"outcomes": {"a": "failed"}, "exit_code": 1, "finished": True}
    found = TestReport.model_validate(stored)
    assert (found.failures, found.durations) == ({}, {})
