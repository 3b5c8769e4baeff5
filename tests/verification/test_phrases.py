"""What a verdict says in words."""

import pytest

from yudai.verification.domain.expect import PERSON
from yudai.verification.domain.phrases import (
    agreement_phrase,
    idle_phrase,
    is_closing,
    proof_phrase,
    says_phrase,
    shortfall_phrase,
)
from yudai.verification.domain.proof import ProofKind, Subject
from yudai.verification.domain.verdict import (
    ChangedExpectation,
    Evidence,
    Verdict,
    VerdictStatus,
    Weighed,
)

PASSED = Verdict(status=VerdictStatus.PASSED, proof=ProofKind.BEHAVIOUR, tied=True, rules=1)
OLD = Verdict(status=VerdictStatus.PASSED)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "proved by behaviour, about this issue"),
        ({"tied": False}, "proved by behaviour, not visibly about this issue"),
        (
            {"proof": ProofKind.INTERFACE},
            "proved by an interface that the issue names, about this issue",
        ),
        ({"proof": ProofKind.COMMAND}, "proved by a plain command, about this issue"),
        ({"proof": ProofKind.NONE}, ""),
        (
            {"proof": ProofKind.INTERFACE, "evidence": Evidence(proved_by=(PERSON,))},
            "accepted by a person",
        ),
        ({"rules": 0}, ""),
        ({"status": VerdictStatus.FAILED}, ""),
    ],
)
def test_the_kind_of_proof(changes: dict[str, object], said: str):
    assert proof_phrase(PASSED.model_copy(update=changes)) == said


def test_agreement_is_said_of_more_than_one():
    assert agreement_phrase(PASSED, 6) == ""
    three = PASSED.model_copy(update={"agreement": 3})
    assert agreement_phrase(three, 6) == "3 of 6 contestants gave this answer"
    assert agreement_phrase(three) == "3 contestants gave this answer"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"kind": ProofKind.INTERFACE}, ""),
        (
            {"kind": ProofKind.INTERFACE, "symbols": ("--fast", "go")},
            "uses --fast, go, which the patch introduced and the issue does not name",
        ),
        (
            {"subjects": (Subject.TIMING, Subject.DOCUMENT)},
            "is about timing, a document, which the issue does not ask for",
        ),
        ({"kind": ProofKind.NONE}, "fails on the base for another reason than the behaviour"),
    ],
)
def test_why_a_test_proves_nothing(changes: dict[str, object], said: str):
    weighed = Weighed(test="t", kind=ProofKind.BEHAVIOUR)
    assert idle_phrase(weighed.model_copy(update=changes)) == said


def test_who_says_that_an_expectation_changes():
    changed = ChangedExpectation(test="t", before="3", now="4", says=("the issue", "a"))
    assert says_phrase(changed) == "says the issue, a; a person has to accept it"
    accepted = changed.model_copy(update={"accepted": True, "says": ()})
    assert says_phrase(accepted) == "says the patch alone"


@pytest.mark.parametrize(
    ("verdict", "closes", "missing"),
    [
        (PASSED, True, ""),
        (PASSED.model_copy(update={"tied": False}), False, "no test that proves the patch calls"),
        (
            PASSED.model_copy(update={"status": VerdictStatus.UNPROVED}),
            False,
            "no proof shows that the issue is solved",
        ),
        (OLD, True, ""),
        (OLD.model_copy(update={"status": VerdictStatus.UNPROVED}), False, ""),
    ],
    ids=["tied", "untied", "unproved", "old", "old-unproved"],
)
def test_what_closes_an_issue_and_what_is_missing(verdict: Verdict, *, closes: bool, missing: str):
    assert is_closing(verdict) is closes
    said = shortfall_phrase(verdict)
    assert missing in said
    assert bool(said) is bool(missing)


def test_what_a_person_accepted_without_a_test_says_so():
    accepted = Evidence(proved_by=(PERSON,))
    verdict = PASSED.model_copy(update={"tied": False, "evidence": accepted})
    assert "a person accepted it" in shortfall_phrase(verdict)
    assert shortfall_phrase(verdict.model_copy(update={"tied": True})) == ""
