"""What a verdict says in words, the same in a terminal and at a forge.

Verdicts from before there were rules (version 0) say nothing here: they do not know it.
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
    """The kind of proof; "" if it has not passed."""
    if verdict.status is not VerdictStatus.PASSED:
        return ""
    if not verdict.rules or verdict.proof not in _PROVED:
        return ""
    if verdict.proof is ProofKind.INTERFACE and PERSON in verdict.evidence.proved_by:
        return _BY_PERSON
    about = "about this issue" if verdict.tied else "not visibly about this issue"
    return f"{_PROVED[verdict.proof]}, {about}"


def faster_phrase(one: Faster) -> str:
    """Of a test's id, which is foreign text."""
    return f"{one.test} takes {one.patch_s} s instead of {one.base_s} s, in each of five runs"


def agreement_phrase(verdict: Verdict, contestants: int | None = None) -> str:
    """How many gave this very answer; "" if it was one."""
    if verdict.agreement < 2:
        return ""
    of_all = "" if contestants is None else f" of {contestants}"
    return f"{verdict.agreement}{of_all} contestants gave this answer"


def idle_phrase(weighed: Weighed) -> str:
    """Why a valid test proves nothing; "" if it proves. Names are foreign text."""
    if weighed.subjects:
        return f"is about {', '.join(weighed.subjects)}, which the issue does not ask for"
    if weighed.kind is ProofKind.INTERFACE and weighed.symbols:
        names = ", ".join(weighed.symbols)
        return f"uses {names}, which the patch introduced and the issue does not name"
    if weighed.kind is ProofKind.NONE:
        return "fails on the base for another reason than the behaviour"
    return ""


def says_phrase(changed: ChangedExpectation) -> str:
    """Who says that a test has to expect something else. Handles are foreign text."""
    who = f"says {', '.join(changed.says) or 'the patch alone'}"
    return who if changed.accepted else f"{who}; a person has to accept it"


def is_closing(verdict: Verdict) -> bool:
    """Whether it shows that this very issue is solved."""
    return verdict.status is VerdictStatus.PASSED and (verdict.tied or not verdict.rules)


def shortfall_phrase(verdict: Verdict) -> str:
    """What is missing for the issue to be closed; "" if nothing is, or if it is not known."""
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
