"""Two runs beside each other, by what verification found."""

from typing import Any

from tests.support.trajectories import DIFF
from yudai.kit.ids import RunId, SolveId
from yudai.patches.patch import Touched, touched
from yudai.runs.domain.states import RunState
from yudai.testing.domain.report import Baseline, Outcome, TestReport
from yudai.verification.domain.verdict import NOTHING, Evidence, Verdict, VerdictStatus
from yudai.views.domain.comparison import Side, Tests, compare

NO_TESTS: dict[str, tuple[str, ...]] = dict.fromkeys(Tests.model_fields, ())


def side(handle: str, verdict: Verdict, **changes: Any) -> Side:
    fields: dict[str, Any] = {
        "run_id": RunId(f"run-{handle}"),
        "handle": handle,
        "state": RunState.COMPLETED,
        "cause": None,
        "verdict": verdict,
        "files_changed": 1,
        "lines_changed": 2,
        "cost_usd": 0.0,
        "latency_ms": 0,
        "solve_id": SolveId("solve-1"),
        "model": "m",
        "base_key": "base",
        "base": "toy at 1234",
        "baseline": baseline(green=("t::old",), red=("t::red", "t::hard")),
        "patch": DIFF,
    }
    return Side(**(fields | changes))


def baseline(*, green: tuple[str, ...], red: tuple[str, ...]) -> Baseline:
    outcomes = dict.fromkeys(green, Outcome.PASSED) | dict.fromkeys(red, Outcome.FAILED)
    report = TestReport(outcomes=outcomes, exit_code=1, finished=True)
    return Baseline(first=report, second=report, command="pytest")


def verdict(**changes: Any) -> Verdict:
    evidence = Evidence(**({"executed": 3} | changes.pop("evidence", {})))
    return Verdict(status=VerdictStatus.PASSED, evidence=evidence, **changes)


def found_tests(first: Side, second: Side) -> dict[str, tuple[str, ...]]:
    found = compare(first, second).tests.model_dump()
    return {name: tests for name, tests in found.items() if tests}


def test_a_test_that_one_fixes_and_the_other_does_not():
    found = found_tests(side("a", verdict(fixed=("t::red",))), side("b", verdict()))
    assert found == {"only_first": ("t::red",), "neither": ("t::hard",)}


def test_a_test_that_one_breaks_and_one_that_no_longer_runs():
    broken = verdict(broken=("t::old",))
    found = found_tests(side("a", broken), side("b", verdict()))
    assert found["only_second"] == ("t::old",)
    found = found_tests(side("a", verdict()), side("b", verdict(missing=("t::old",))))
    assert found["only_first"] == ("t::old",)


def test_tests_of_contestants_are_known_by_their_authors():
    author = verdict(evidence={"own_tests": ("t::new", "t::odd"), "own_failed": ("t::odd",)})
    fails = verdict(evidence={"cross_failed": ("a::t::new",), "cross_passed": ("c::t::other",)})
    found = found_tests(side("a", author), side("b", fails))
    assert found["only_first"] == ("a::t::new",)
    assert found["untried_by_first"] == ("c::t::other",)


def test_what_both_pass_is_only_what_was_red_or_new():
    fixed = verdict(fixed=("t::red", "t::hard"), evidence={"cross_passed": ("c::t::new",)})
    assert found_tests(side("a", fixed), side("b", fixed)) == {
        "both": ("c::t::new", "t::hard", "t::red")
    }


def test_tests_of_contestants_of_two_solves_are_never_the_same():
    crossed = verdict(evidence={"cross_passed": ("c::t::new",)})
    found = compare(side("a", crossed), side("a", crossed, solve_id=SolveId("solve-2")))
    assert found.tests.both == ()
    assert found.tests.untried_by_second == found.tests.untried_by_first == ("c::t::new",)


def test_two_bases_are_distinguished():
    assert compare(side("a", verdict()), side("b", verdict())).same_base
    other = side("b", verdict(), base_key="other", baseline=None)
    assert not compare(side("a", verdict()), other).same_base


def test_a_run_without_a_verdict_says_nothing_about_any_test():
    found = compare(side("a", NOTHING), side("b", verdict(fixed=("t::red",))))
    assert found.tests.model_dump() == NO_TESTS | {"untried_by_first": ("t::red",)}


def test_files_of_both_and_of_one():
    second = side("b", verdict(), patch=DIFF.replace("app.py", "other.py") + DIFF)
    files = compare(side("a", verdict()), second).files
    assert (files.both, files.only_first, files.only_second) == (("app.py",), (), ("other.py",))
    none = compare(side("a", verdict(), patch=""), second).files
    assert none.only_second == ("app.py", "other.py")


def test_what_a_foreign_diff_touches():
    gone = "--- a/gone.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n--- x\n-y\n"
    new = "--- /dev/null\n+++ b/new.py\t2024-01-01\n@@ -0,0 +1 @@\n+z\n"
    assert touched(gone + new) == (Touched("gone.py", 2), Touched("new.py", 1))
    assert touched("no diff\n--- at all") == ()
    assert touched(DIFF) == touched(DIFF.removesuffix("\n")) == (Touched("app.py", 2),)
