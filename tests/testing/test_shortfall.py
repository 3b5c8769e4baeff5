"""What is said of a base whose tests cannot all be run."""

from yudai.testing.domain.report import NO_REPORT, Baseline, Outcome, TestReport
from yudai.testing.domain.shortfall import shortfall, why_unverifiable

GREEN = TestReport(outcomes={"a.py::t": Outcome.PASSED}, exit_code=0, finished=True)
EMPTY = TestReport(outcomes={}, exit_code=5, finished=True)
DEAD = GREEN.model_copy(update={"finished": False})
FILES = tuple(f"t{n}.py" for n in range(10))


def lacking(report: TestReport, *files: str) -> TestReport:
    return report.model_copy(update={"collection_errors": files})


def said(report: TestReport, command: str = "pytest") -> tuple[str, str]:
    baseline = Baseline(first=report, second=report, command=command)
    return shortfall(baseline), why_unverifiable(baseline)


def test_a_whole_suite_and_an_empty_one_lack_nothing():
    assert said(GREEN) == said(EMPTY) == ("", "")


def test_a_suite_that_ends_half_way_gives_what_ran():
    half = "the base's tests end half-way: only the 1 test that ran before count"
    assert said(DEAD) == (half, "")
    lost = "could not be loaded on the base, so nothing in it counts: b.py"
    assert said(lacking(GREEN, "b.py")) == (lost, "")
    assert said(lacking(DEAD, "b.py")) == (f"{half}; {lost}", "")


def test_files_that_could_not_be_loaded_are_named_up_to_a_limit():
    assert said(lacking(GREEN, *FILES))[0].endswith("t6.py, t7.py and 2 more")


def test_why_nothing_can_be_verified():
    assert said(NO_REPORT)[1].endswith("`pytest` ended on the base before a test had run")
    assert said(NO_REPORT, "")[1].endswith("no tests were found, nor a program that could run some")
    assert said(lacking(EMPTY, "b.py"))[1].endswith("no test of the base could be loaded: b.py")
