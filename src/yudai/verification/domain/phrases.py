"""Describes a verdict in words, the same for the terminal and the forge.

Verdicts without a rules version (version 0) lack these facts and give empty phrases.
"""

from yudai.verification.domain.expect import PERSON
from yudai.verification.domain.proof import Faster, ProofKind
from yudai.verification.domain.verdict import ChangedExpectation, Verdict, VerdictStatus, Weighed

_PROVED = {
    ProofKind.BEHAVIOUR: "proved by behaviour",
    ProofKind.INTERFACE: "proved by an interface that the issue names",
    ProofKind.COMMAND: "proved by a plain command",
}
_BY_PERSON = "accepted by a person"


def proof_phrase(verdict: Verdict) -> str:
    """The kind of proof; "" if the run has not passed."""
    if verdict.status is not VerdictStatus.PASSED:
        return ""
    if not verdict.rules or verdict.proof not in _PROVED:
        return ""
    if verdict.proof is ProofKind.INTERFACE and PERSON in verdict.evidence.proved_by:
        return _BY_PERSON
    about = "about this issue" if verdict.tied else "not visibly about this issue"
    return f"{_PROVED[verdict.proof]}, {about}"


def faster_phrase(one: Faster) -> str:
    """A phrase for a faster test. Its id is foreign text."""
    return f"{one.test} takes {one.patch_s} s instead of {one.base_s} s, in each of five runs"


def agreement_phrase(verdict: Verdict, contestants: int | None = None) -> str:
    """How many contestants gave this answer; "" if only one did."""
    if verdict.agreement < 2:
        return ""
    of_all = "" if contestants is None else f" of {contestants}"
    return f"{verdict.agreement}{of_all} contestants gave this answer"


def idle_phrase(weighed: Weighed) -> str:
    """Why a valid test proves nothing; "" if it does. Names are foreign text."""
    if weighed.subjects:
        return f"is about {', '.join(weighed.subjects)}, which the issue does not ask for"
    if weighed.kind is ProofKind.INTERFACE and weighed.symbols:
        names = ", ".join(weighed.symbols)
        return f"uses {names}, which the patch introduced and the issue does not name"
    if weighed.kind is ProofKind.NONE:
        return "fails on the base for another reason than the behaviour"
    return ""


def says_phrase(changed: ChangedExpectation) -> str:
    """The sources of a changed expectation. Handles are foreign text."""
    who = f"says {', '.join(changed.says) or 'the patch alone'}"
    return who if changed.accepted else f"{who}; a person has to accept it"


def is_closing(verdict: Verdict) -> bool:
    """Whether the verdict shows that this issue is solved, so that publishing may close it."""
    return verdict.status is VerdictStatus.PASSED and (verdict.tied or not verdict.rules)


def shortfall_phrase(verdict: Verdict) -> str:
    """What is missing to close the issue; "" if nothing is missing or it is not known."""
    if not verdict.rules or is_closing(verdict):
        return ""
    if verdict.status is not VerdictStatus.PASSED:
        return "It does not close the issue: no proof shows that the issue is solved."
    if PERSON in verdict.evidence.proved_by:
        return "It does not close the issue: a person accepted it, and no test shows that it does."
    return (
        "It does not close the issue: no test that proves the patch calls what the issue names"
        " with an input, value or message that the issue gives."
    )
