"""Which tests of base an edit is about, as runners name them, and what they are called now."""

import pytest

from yudai.testing.domain.report import Baseline, Outcome, TestReport
from yudai.verification.domain.examined import Confirmation, Reports, Shown, examined_of
from yudai.verification.domain.expectations import Expectation
from yudai.verification.domain.expected.change import Row
from yudai.verification.domain.expected_tests import (
    EditedTest,
    EditedTests,
    match_expectations,
    match_tests,
    renamed_tests,
)

TABLE = [f"t/test_d.py::test_h[{row}]" for row in ("5-5s", "6-6s", "7-7s")]
SPACED = [f"t/test_d.py::test_h[{row}]" for row in ("4-4 s", "5-5 s", "6-6 s", "7-7s")]


def changed(test: str, path: str = "t/test_d.py", row: Row | None = None) -> Expectation:
    return Expectation(test=test, path=path, before="1", now="2", row=row)


@pytest.mark.parametrize(
    ("expectation", "test"),
    [
        (changed("test_h"), "t/test_d.py::test_h"),
        (changed("test_h"), "t/test_d.py::test_h[5-5s]"),
        (changed("TestBase::test_h", "t/base.py"), "t/test_d.py::TestD::test_h"),
        (changed("TestBase::test_h", "t/base.py"), "t/test_d.py::TestD::test_h[a]"),
        (changed("Base::test_h", "t/base.py"), "t.test_d.TestD.test_h"),
        (changed("test_h", "t/test_d.py"), "t.test_d.test_h"),
        (changed("human(%i)", "t/a.test.js"), "t/a.test.js::human(5)"),
        (changed("is $given.unit", "t/a.test.js"), "t/a.test.js::is seconds"),
        (changed("units > human ${n}", "t/a.test.js"), "t/a.test.js::units > human 5"),
        (changed("units > human \\x00", "t/a.test.js"), "t/a.test.js::units > human 5"),
        (changed("adds 1", "t/__snapshots__/a.test.js.snap"), "t/a.test.js::adds"),
    ],
)
def test_an_edit_is_about_a_test(expectation: Expectation, test: str):
    assert match_expectations([expectation], [test]) == {test: [expectation]}


@pytest.mark.parametrize(
    ("expectation", "test"),
    [
        (changed("test_h"), "t/test_d.py::test_hours"),
        (changed("test_h"), "t/test_e.py::test_h"),
        (changed("test_h"), "t/test_d.py::TestD::test_h"),
        (changed("TestBase::test_h", "t/base.py"), "t/test_d.py::test_h"),
        (changed("human(%i)", "t/a.test.js"), "t/a.test.js::hours(5)"),
        (changed("human(%i)", "t/a.test.js"), "t/b.test.js::human(5)"),
    ],
)
def test_an_edit_is_not_about_it(expectation: Expectation, test: str):
    assert match_expectations([expectation], [test]) == {}


def test_a_row_is_meant_by_its_place():
    edits = [changed("test_h", row=Row(at, 3, at + 1, 4)) for at in (0, 1)]
    edited = match_expectations(edits, TABLE)
    assert edited == {TABLE[0]: edits[:1], TABLE[1]: edits[1:]}
    assert renamed_tests(edited, TABLE, SPACED) == {TABLE[0]: SPACED[1], TABLE[1]: SPACED[2]}


def test_where_tables_are_stacked_what_came_takes_the_place_of_what_went():
    edit = changed("test_h", row=Row(0, 2, 0, 2))
    own = [TABLE[0].replace("5s", "5 s"), *TABLE[1:]]
    edited = match_expectations([edit], TABLE)
    assert renamed_tests(edited, TABLE, own) == {TABLE[0]: own[0]}
    assert renamed_tests(edited, TABLE, own[:2]) == {}
    assert renamed_tests(edited, TABLE, TABLE) == {}


def test_a_title_that_holds_the_value():
    edit = changed("f(%i) is %s", "t/a.test.js")
    before, now = ["t/a.test.js::f(5) is 5s"], ["t/a.test.js::f(5) is 5 s"]
    assert renamed_tests(match_expectations([edit], before), before, now) == {before[0]: now[0]}


def test_tests_that_gained_something():
    known = [*TABLE, "t/test_d.py::test_other", "t/a.test.js::adds"]
    found = match_tests(
        [EditedTest("t/test_d.py", "test_h"), EditedTest("t/a.test.js", "adds")], known
    )
    assert found == {*TABLE, "t/a.test.js::adds"}


def test_a_row_that_passes_under_its_new_id_is_an_expectation():
    report = TestReport(outcomes={TABLE[0]: Outcome.PASSED}, exit_code=0, finished=True)
    broken = report.model_copy(update={"outcomes": {TABLE[0]: Outcome.FAILED}})
    reports = Reports(Baseline(first=report, second=report, command="pytest"), broken)
    edits = {TABLE[0]: [changed("test_h")]}
    for outcome, found in ((Outcome.PASSED, [(TABLE[0], SPACED[1])]), (Outcome.FAILED, [])):
        edited = EditedTests(edits, {TABLE[0]: SPACED[1]}, {SPACED[1]: outcome})
        examined = examined_of(reports, Confirmation(frozenset(TABLE[:1])), Shown(), edited=edited)
        assert [(one.test, one.as_test) for one in examined.expectations] == found
