"""From test reports to a verdict."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from yudai.testing.domain.report import NO_REPORT, RED, Baseline, Outcome, TestReport
from yudai.verification.domain.expectations import Expectation
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus


class OwnTests(NamedTuple):
    """The patch's own new tests: on the patch, and on base without it."""

    on_patch: TestReport | None = None
    on_base: TestReport | None = None

    def new(self, baseline: Baseline) -> list[str]:
        return [] if self.on_patch is None else sorted(set(self.on_patch.outcomes) - baseline.known)


class Suspicion(NamedTuple):
    tampered: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    """Of what is in `tampered`, what only changes expected values; `line` says which."""


NO_OWN_TESTS = OwnTests()
NO_SUSPICION = Suspicion()


class _Comparison(NamedTuple):
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    missing: tuple[str, ...]


def judge(
    baseline: Baseline,
    after: TestReport,
    *,
    own: OwnTests = NO_OWN_TESTS,
    suspicion: Suspicion = NO_SUSPICION,
) -> Verdict:
    """Judge a patch by base's own tests on it, then by the tests that it brought."""
    if not baseline.first.finished and not baseline.second.finished:
        return judge_unseen(suspicion, why="base's own tests do not run to their end")
    found = _compare(baseline, after)
    evidence = _evidence(baseline, after, found, own)
    evidence = evidence.model_copy(update={"withheld": suspicion.withheld})
    verdict = Verdict(
        status=VerdictStatus.UNPROVED,
        fixed=found.fixed,
        broken=found.broken,
        missing=found.missing,
        flaky=tuple(sorted(baseline.flaky)),
        tampered=suspicion.tampered,
        evidence=evidence,
    )
    return _settled(verdict, _complaint(verdict, after, own), _doubt(baseline, after, own))


def judge_unseen(suspicion: Suspicion, *, why: str = "no tests could be run") -> Verdict:
    """Judge a patch of a repository whose own tests say nothing."""
    verdict = Verdict(
        status=VerdictStatus.UNVERIFIED,
        tampered=suspicion.tampered,
        evidence=Evidence(withheld=suspicion.withheld),
    )
    return _settled(verdict, "; ".join(suspicion.tampered[:1]), why)


def apply_cross(verdict: Verdict, *, passed: Iterable[str], failed: Iterable[str]) -> Verdict:
    """Add what other contestants' valid tests, as `handle::test id`, said about this patch."""
    if verdict.status not in {VerdictStatus.PASSED, VerdictStatus.UNPROVED}:
        return verdict
    cross_passed, cross_failed = tuple(sorted(passed)), tuple(sorted(failed))
    known = verdict.evidence.proved_by
    evidence = verdict.evidence.model_copy(
        update={
            "cross_passed": cross_passed,
            "cross_failed": cross_failed,
            "proved_by": (*known, *(test for test in cross_passed if test not in known)),
        }
    )
    crossed = verdict.model_copy(update={"evidence": evidence})
    if not cross_failed:
        return _settled(crossed, "", "")
    return _settled(crossed, f"fails {named(cross_failed)}, written by another contestant", "")


def named(tests: Collection[str]) -> str:
    first = next(iter(tests))
    return first if len(tests) == 1 else f"{first} and {len(tests) - 1} more"


def _settled(verdict: Verdict, complaint: str, doubt: str) -> Verdict:
    """The status that follows, with its one line for a person."""
    proofs = verdict.evidence.proved_by
    if complaint:
        status, summary = VerdictStatus.FAILED, complaint
    elif doubt:
        status, summary = VerdictStatus.UNVERIFIED, doubt
    elif proofs:
        goes = "goes" if len(proofs) == 1 else "go"
        status, summary = VerdictStatus.PASSED, f"{named(proofs)} {goes} from red to green"
    else:
        status = VerdictStatus.UNPROVED
        summary = "nothing is broken, but no test goes from red to green"
    return verdict.model_copy(update={"status": status, "summary": summary})


def _compare(baseline: Baseline, after: TestReport) -> _Comparison:
    first, now = baseline.first.outcomes, after.outcomes
    steady = {test: o for test, o in first.items() if test not in baseline.flaky}
    hidden = {t for t in now if baseline.first.hides(t) and baseline.second.hides(t)}
    was_red = baseline.failing | (hidden - baseline.known)
    was_red |= {test for test, outcome in steady.items() if outcome is Outcome.XFAILED}
    ran = {t for t in now if now[t] in {Outcome.PASSED, Outcome.XPASSED}}
    broken = {t for t in now if now[t] in RED} - baseline.failing - hidden - baseline.flaky
    broken |= {
        test
        for test, outcome in now.items()
        if outcome is Outcome.XFAILED and steady.get(test) is Outcome.PASSED
    }
    known_errors = {*baseline.first.collection_errors, *baseline.second.collection_errors}
    broken |= set(after.collection_errors) - known_errors
    return _Comparison(
        fixed=tuple(sorted(ran & was_red)),
        broken=tuple(sorted(broken)),
        missing=tuple(sorted(baseline.executed - after.executed)),
    )


def _evidence(baseline: Baseline, after: TestReport, found: _Comparison, own: OwnTests) -> Evidence:
    on_patch, on_base = own.on_patch or NO_REPORT, own.on_base or NO_REPORT
    new = own.new(baseline)
    uncollected = set(on_patch.collection_errors) - set(baseline.first.collection_errors)
    failed = [test for test in new if on_patch.outcomes[test] in RED]
    passed = [test for test in new if on_patch.outcomes[test] is Outcome.PASSED]
    valid = [test for test in passed if on_base.is_red(test)]
    return Evidence(
        proved_by=(*found.fixed, *(test for test in valid if test not in found.fixed)),
        own_tests=tuple(new),
        valid_tests=tuple(valid),
        own_failed=(*sorted(uncollected), *failed),
        executed=len(after.executed),
        baseline_executed=len(baseline.executed),
    )


def _complaint(verdict: Verdict, after: TestReport, own: OwnTests) -> str:
    """The first thing that is wrong, worst first."""
    troubles: tuple[tuple[Collection[str], str], ...] = (
        (verdict.tampered[:1], "{}"),
        (verdict.broken, "breaks {}"),
        (_unfinished(after), "base's tests {}"),
        (verdict.missing, "no longer runs {}"),
        (verdict.evidence.own_failed, "fails its own test {}"),
        (_unfinished(own.on_patch), "its own tests {}"),
    )
    return next((text.format(named(which)) for which, text in troubles if which), "")


def _unfinished(report: TestReport | None) -> list[str]:
    if report is None or report.finished:
        return []
    return ["ran out of time" if report.timed_out else "did not run to their end"]


def _doubt(baseline: Baseline, after: TestReport, own: OwnTests) -> str:
    own_executed = own.on_patch.executed if own.on_patch else frozenset[str]()
    return "" if baseline.executed or after.executed or own_executed else "no tests could be run"
