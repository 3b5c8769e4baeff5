from hypothesis import given
from hypothesis import strategies as st

from yudai.testing.domain.report import (
    GREEN,
    NO_REPORT,
    RED,
    Baseline,
    Outcome,
    TestReport,
)
from yudai.verification.domain.decide import verdict_alone
from yudai.verification.domain.examined import (
    Confirmation,
    Reports,
    Shown,
    examined_of,
    unseen,
)
from yudai.verification.domain.facts import BaseProof
from yudai.verification.domain.judge import NO_OWN_TESTS, NO_SUSPICION, OwnTests, Suspicion
from yudai.verification.domain.proof import OwnTest, ProofKind
from yudai.verification.domain.verdict import Verdict, VerdictStatus


def report(
    outcomes: dict[str, str] | None = None, *, uncollected: tuple[str, ...] = (), **more: bool
) -> TestReport:
    words = {test: Outcome(outcome) for test, outcome in (outcomes or {}).items()}
    return TestReport(
        outcomes=words,
        exit_code=0,
        finished=more.get("finished", True),
        timed_out=more.get("timed_out", False),
        collection_errors=uncollected,
    )


def baseline(outcomes: dict[str, str], second: dict[str, str] | None = None) -> Baseline:
    again = report(outcomes if second is None else second)
    return Baseline(first=report(outcomes), second=again, command="python -m pytest")


def judge(
    base: Baseline,
    after: TestReport,
    *,
    own: OwnTests = NO_OWN_TESTS,
    suspicion: Suspicion = NO_SUSPICION,
) -> Verdict:
    """Every failure is confirmed, and what goes from red to green shows behaviour."""
    reports = Reports(base, after, own)
    confirmed = Confirmation(reports.suspects, reports.own_suspects)
    on_patch, on_base = own.on_patch or NO_REPORT, own.on_base or NO_REPORT
    valid = [
        test
        for test in own.new(base)
        if on_patch.outcomes[test] is Outcome.PASSED and on_base.is_red(test)
    ]
    kind = ProofKind.BEHAVIOUR
    shown = Shown(
        tuple(OwnTest(id=test, kind=kind) for test in valid),
        tuple(BaseProof(test=test, kind=kind) for test in reports.comparison.fixed),
    )
    return verdict_alone(examined_of(reports, confirmed, shown, suspicion=suspicion))


GOOD = {"a": "passed", "b": "passed"}
BASE = baseline(GOOD)


def test_a_test_that_goes_from_red_to_green_proves():
    verdict = judge(baseline({"a": "failed", "b": "passed"}), report(GOOD))
    assert verdict.status is VerdictStatus.PASSED
    assert (verdict.fixed, verdict.evidence.proved_by) == (("a",), ("a",))
    assert verdict.summary == "a goes from red to green"
    assert (verdict.evidence.executed, verdict.evidence.baseline_executed) == (2, 2)


def test_nothing_broken_is_no_proof():
    verdict = judge(BASE, report(GOOD))
    assert verdict.status is VerdictStatus.UNPROVED
    assert verdict.summary == "nothing is broken, but no test goes from red to green"


def test_a_broken_test():
    verdict = judge(BASE, report({"a": "failed", "b": "error"}))
    assert (verdict.status, verdict.broken) == (VerdictStatus.FAILED, ("a", "b"))
    assert verdict.summary == "breaks a and 1 more"


def test_a_red_test_that_base_did_not_have_is_broken_too():
    verdict = judge(BASE, report({**GOOD, "a[new case]": "failed"}))
    assert verdict.broken == ("a[new case]",)


def test_a_test_that_stays_red_is_nobodys_fault():
    red = {"a": "failed", "b": "passed"}
    verdict = judge(baseline(red), report(red))
    assert (verdict.status, verdict.broken) == (VerdictStatus.UNPROVED, ())


def test_flaky_tests_neither_prove_nor_break():
    base = baseline({**GOOD, "moody": "passed"}, {**GOOD, "moody": "failed"})
    for outcome in ("passed", "failed", "skipped"):
        verdict = judge(base, report({**GOOD, "moody": outcome}))
        assert (verdict.status, verdict.flaky) == (VerdictStatus.UNPROVED, ("moody",))
    assert judge(base, report(GOOD)).missing == ()


def test_fewer_tests_than_base_are_never_a_pass():
    base = baseline({"a": "failed", "b": "passed"})
    for after in ({"a": "passed"}, {"a": "passed", "b": "skipped"}):
        verdict = judge(base, report(after))
        assert (verdict.status, verdict.missing) == (VerdictStatus.FAILED, ("b",))
        assert verdict.summary == "no longer runs b"


def test_a_run_without_an_end_is_never_a_pass():
    base = baseline({"a": "failed", "b": "passed"})
    verdict = judge(base, report(GOOD, finished=False))
    assert verdict.status is VerdictStatus.FAILED
    assert verdict.summary == "base's tests did not run to their end"
    stopped = judge(base, report(GOOD, finished=False, timed_out=True))
    assert stopped.summary == "base's tests ran out of time"


def test_a_file_that_can_no_longer_be_collected_is_broken():
    verdict = judge(BASE, report({"a": "passed"}, uncollected=("tests/test_b.py",)))
    assert verdict.summary == "breaks tests/test_b.py"
    assert verdict.missing == ("b",)


def test_tests_that_base_could_not_even_collect_prove_when_they_pass():
    hidden = report({"a": "passed"}, uncollected=("new.py",))
    base = Baseline(first=hidden, second=hidden, command="")
    verdict = judge(base, report({"a": "passed", "new.py::x": "passed", "new.py::y": "failed"}))
    assert (verdict.status, verdict.fixed) == (VerdictStatus.PASSED, ("new.py::x",))
    assert verdict.broken == ()


def test_an_expected_failure_that_passes_proves():
    verdict = judge(baseline({"a": "xfailed", "b": "passed"}), report({**GOOD, "a": "xpassed"}))
    assert verdict.fixed == ("a",)


def test_a_pass_that_becomes_an_expected_failure_is_broken():
    verdict = judge(BASE, report({**GOOD, "a": "xfailed"}))
    assert verdict.broken == ("a",)


OWN = OwnTests(
    on_patch=report({"a": "passed", "new": "passed", "idle": "passed"}),
    on_base=report({"new": "failed", "idle": "passed"}),
)


def test_own_tests_are_valid_when_red_on_base_and_green_on_the_patch():
    verdict = judge(BASE, report(GOOD), own=OWN)
    assert verdict.status is VerdictStatus.PASSED
    assert verdict.evidence.own_tests == ("idle", "new")
    assert verdict.evidence.valid_tests == ("new",)
    assert verdict.evidence.proved_by == ("new",)
    assert verdict.fixed == ()


def test_own_tests_that_base_cannot_collect_are_red_there():
    own = OwnTests(report({"t.py::new": "passed"}), report(uncollected=("t.py",)))
    assert judge(BASE, report(GOOD), own=own).evidence.valid_tests == ("t.py::new",)


def test_own_tests_that_fail_on_their_own_patch():
    own = OwnTests(report({"new": "failed"}, uncollected=("t.py",)), None)
    verdict = judge(BASE, report(GOOD), own=own)
    assert verdict.status is VerdictStatus.FAILED
    assert verdict.evidence.own_failed == ("t.py", "new")
    assert verdict.summary == "fails its own test t.py and 1 more"


def test_own_tests_that_do_not_end():
    verdict = judge(BASE, report(GOOD), own=OwnTests(report(finished=False)))
    assert verdict.summary == "its own tests did not run to their end"


def test_own_tests_do_not_make_up_for_a_broken_one():
    verdict = judge(BASE, report({**GOOD, "b": "failed"}), own=OWN)
    assert verdict.status is VerdictStatus.FAILED
    assert verdict.evidence.valid_tests == ("new",)


def test_tampering_fails_whatever_the_tests_say():
    suspicion = Suspicion(("tests/t.py: edits the existing test a",), ("pytest.ini",))
    verdict = judge(BASE, report(GOOD), own=OWN, suspicion=suspicion)
    assert verdict.status is VerdictStatus.FAILED
    assert verdict.summary == "tests/t.py: edits the existing test a"
    assert verdict.evidence.withheld == ("pytest.ini",)


def test_without_tests_nothing_is_verified():
    assert verdict_alone(unseen(Suspicion())).status is VerdictStatus.UNVERIFIED
    assert verdict_alone(unseen(Suspicion(("x",)))).status is VerdictStatus.FAILED
    verdict = judge(baseline({}), report())
    assert (verdict.status, verdict.summary) == (VerdictStatus.UNVERIFIED, "no tests could be run")
    assert judge(baseline({"a": "skipped"}), report({"a": "skipped"})).status == "unverified"


def test_a_baseline_without_an_end_gives_the_tests_it_ran():
    died = report(GOOD, finished=False)
    base = Baseline(first=died, second=died, command="")
    verdict = judge(base, report({"a": "failed", "b": "passed"}, finished=False))
    assert (verdict.status, verdict.broken) == (VerdictStatus.FAILED, ("a",))
    assert judge(base, report(GOOD, finished=False)).status is VerdictStatus.UNPROVED


def test_a_baseline_that_ran_nothing_to_its_end_verifies_nothing():
    died = report(finished=False)
    base = Baseline(first=died, second=died, command="")
    verdict = judge(base, report(finished=False))
    assert verdict.status is VerdictStatus.UNVERIFIED
    assert "do not run to their end" in verdict.summary


def test_own_tests_verify_where_base_has_none():
    own = OwnTests(report({"new": "passed"}), report({"new": "failed"}))
    assert judge(baseline({}), report(), own=own).status is VerdictStatus.PASSED


TESTS = st.sampled_from(["a", "b", "c", "t.py::d"])
REPORTS = st.builds(
    TestReport,
    outcomes=st.dictionaries(TESTS, st.sampled_from(Outcome)),
    exit_code=st.integers(0, 5),
    finished=st.booleans(),
    timed_out=st.booleans(),
    collection_errors=st.sampled_from([(), ("t.py",)]),
)
BASELINES = st.builds(Baseline, first=REPORTS, second=REPORTS, command=st.just(""))
OWNS = st.builds(OwnTests, st.none() | REPORTS, st.none() | REPORTS)
SUSPICIONS = st.builds(Suspicion, tampered=st.sampled_from([(), ("reason",)]))


def steady(base: Baseline, outcomes: frozenset[Outcome]) -> set[str]:
    one, two = base.first.outcomes, base.second.outcomes
    return {t for t in one if one[t] == two.get(t) and one[t] in outcomes}


@given(BASELINES, REPORTS, OWNS, SUSPICIONS)
def test_nothing_wrong_ever_passes(
    base: Baseline, after: TestReport, own: OwnTests, suspicion: Suspicion
):
    verdict = judge(base, after, own=own, suspicion=suspicion)
    if verdict.status is not VerdictStatus.PASSED:
        return
    green = {t for t, o in after.outcomes.items() if o in GREEN}
    ran = green | {t for t, o in after.outcomes.items() if o in RED}
    assert not suspicion.tampered
    assert after.finished or not (base.first.finished or base.second.finished)
    assert steady(base, GREEN) <= green
    assert steady(base, GREEN | RED) <= ran
    assert not verdict.broken
    assert not verdict.missing
    assert verdict.evidence.executed >= verdict.evidence.baseline_executed
    assert verdict.evidence.proved_by
