"""Judges one patch alone: compares test reports and names the first fault."""

from collections.abc import Collection
from typing import NamedTuple

from yudai.testing.domain.report import RED, Baseline, Outcome, TestReport
from yudai.verification.domain.expect import Expected
from yudai.verification.domain.expectations import Expectation
from yudai.verification.domain.expected_tests import EditedTest
from yudai.verification.domain.facts import Examined
from yudai.verification.domain.proof import OwnTest, ProofKind
from yudai.verification.domain.rules import Rule, Rules

NOT_EXPECTED = Expected()


class OwnTests(NamedTuple):
    """Reports of the patch's own tests, new or extended, on the patch and on base."""

    on_patch: TestReport | None = None
    on_base: TestReport | None = None
    grown: frozenset[str] = frozenset()
    renamed: frozenset[str] = frozenset()
    """New ids of base tests whose id contains a changed value: these are not its own tests."""

    def new(self, baseline: Baseline) -> list[str]:
        if self.on_patch is None:
            return []
        ids = set(self.on_patch.outcomes)
        return sorted((ids - baseline.known - self.renamed) | (ids & self.grown))


class Suspicion(NamedTuple):
    tampered: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    """Edits of base's tests that only change expected values."""
    grown: tuple[EditedTest, ...] = ()
    """Tests of base that the patch extended."""


NO_OWN_TESTS = OwnTests()
NO_SUSPICION = Suspicion()


class Comparison(NamedTuple):
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    missing: tuple[str, ...]


class Proof(NamedTuple):
    """A test that fails on base and passes on the patch, for a reason that counts."""

    test: str
    kind: ProofKind
    tied: bool


class Alone(NamedTuple):
    """The judgement of one patch alone."""

    complaint: str
    """The first fault; empty if there is none."""
    doubt: str
    proofs: tuple[Proof, ...]
    expected: Expected


def compare(baseline: Baseline, after: TestReport) -> Comparison:
    """Compare base's own tests before and after a patch."""
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
    return Comparison(
        fixed=tuple(sorted(ran & was_red)),
        broken=tuple(sorted(broken)),
        missing=tuple(sorted(baseline.executed - after.executed - broken)),
    )


def shows(test: OwnTest, rules: Rules) -> bool:
    """Whether this valid test proves its author."""
    if test.subjects and Rule.SUBJECTS_PROVE_NOTHING in rules:
        return False
    if test.kind is ProofKind.INTERFACE:
        return test.named or Rule.INTERFACE_IS_NO_PROOF not in rules
    return test.kind is not ProofKind.NONE or Rule.RED_FOR_A_REASON not in rules


def judge_alone(examined: Examined, rules: Rules, expected: Expected = NOT_EXPECTED) -> Alone:
    return Alone(
        _complaint(examined, expected), examined.doubt, _proofs(examined, rules, expected), expected
    )


def named(tests: Collection[str]) -> str:
    first = next(iter(tests))
    return first if len(tests) == 1 else f"{first} and {len(tests) - 1} more"


def _proofs(examined: Examined, rules: Rules, expected: Expected) -> tuple[Proof, ...]:
    base = [
        Proof(one.test, one.kind, one.tied)
        for one in examined.fixed
        if (one.kind is not ProofKind.NONE or Rule.RED_FOR_A_REASON not in rules)
        and not (one.subjects and Rule.SUBJECTS_PROVE_NOTHING in rules)
    ]
    shown = [] if examined.tests_only else [one for one in examined.own if shows(one, rules)]
    own = [Proof(one.id, one.kind, one.tied) for one in shown]
    given = {one.test for one in examined.expectations if one.given}
    changed = [Proof(one.test, ProofKind.BEHAVIOUR, one.test in given) for one in expected.accepted]
    fast = [Proof(one.test, ProofKind.BEHAVIOUR, one.tied) for one in examined.faster]
    found = {proof.test: proof for proof in (*base, *own, *changed, *fast)}
    return tuple(found.values())


def _complaint(examined: Examined, expected: Expected) -> str:
    """The first fault, in order of severity; empty if there is none."""
    broken = [test for test in examined.broken if test not in expected.excused]
    troubles: tuple[tuple[Collection[str], str], ...] = (
        ([examined.refused] if examined.refused else [], "{}"),
        (examined.tampered[:1], "{}"),
        (broken, "breaks {}"),
        ([examined.unfinished] if examined.unfinished else [], "base's tests {}"),
        (examined.missing, "no longer runs {}"),
        (examined.own_failed, "fails its own test {}"),
        ([examined.own_unfinished] if examined.own_unfinished else [], "its own tests {}"),
    )
    return next((text.format(named(which)) for which, text in troubles if which), "")
