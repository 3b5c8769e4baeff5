"""Turns the facts about all patches into verdicts and questions.

All runs are decided together, by the rules of `rules.py`, so the order of contestants does not
matter.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from yudai.kit.ids import RunId
from yudai.verification.domain.answers import AnswerSet
from yudai.verification.domain.ask import accepted_by_person, questions, unknown_to
from yudai.verification.domain.expect import PERSON
from yudai.verification.domain.facts import (
    NOT_EXAMINED,
    Answered,
    Candidate,
    Crossing,
    Examination,
    Examined,
)
from yudai.verification.domain.judge import Proof, named, shows
from yudai.verification.domain.phrases import faster_phrase
from yudai.verification.domain.proof import Faster, ProofKind
from yudai.verification.domain.question import PersonAnswer, Question
from yudai.verification.domain.rules import RULES, Rules
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus, Weighed

_OTHERS = "written by another contestant"


class Decision(NamedTuple):
    verdicts: Mapping[RunId, Verdict] = MappingProxyType({})
    questions: tuple[Question, ...] = ()
    """The open questions; the ranking of the runs shows which of them matter."""


def decide(
    candidates: Sequence[Candidate],
    examination: Examination = NOT_EXAMINED,
    *,
    rules: Rules = RULES,
    answers: Sequence[PersonAnswer] = (),
) -> Decision:
    choices = {answer.key: answer.choice for answer in answers}
    found = AnswerSet(candidates, examination, rules, choices)
    verdicts = {run_id: _verdict(found, run_id) for run_id in found.answers}
    shared = {
        candidate.run_id: _shared(verdicts[group[0].run_id], candidate, group)
        for group in found.groups
        for candidate in group
    }
    return Decision(shared, tuple(_about_all(found, one) for one in questions(found, verdicts)))


def _about_all(found: AnswerSet, question: Question) -> Question:
    """Extend each question to every run that gave the same answer."""
    groups = {group[0].run_id: [candidate.run_id for candidate in group] for group in found.groups}
    runs = tuple(run_id for first in question.runs for run_id in groups[first])
    return question.model_copy(update={"runs": runs})


def verdict_alone(examined: Examined, rules: Rules = RULES) -> Verdict:
    """The verdict on a patch alone."""
    only = Candidate(RunId(""), "", "", examined)
    return decide([only], rules=rules).verdicts[only.run_id]


def _shared(verdict: Verdict, candidate: Candidate, group: Sequence[Candidate]) -> Verdict:
    same_as = "" if candidate.run_id == group[0].run_id else group[0].handle
    return verdict.model_copy(update={"same_as": same_as, "agreement": len(group)})


def _verdict(found: AnswerSet, run_id: RunId) -> Verdict:
    examined, alone = found.answers[run_id].examined, found.alone[run_id]
    convicted = _convictions(found, run_id)
    proofs = (*alone.proofs, *_others_proofs(found, run_id), *accepted_by_person(found, run_id))
    status, summary = _status(found, run_id, proofs, convicted)
    kind = min((proof.kind for proof in proofs), key=list(ProofKind).index, default=ProofKind.NONE)
    return Verdict(
        status=status,
        summary=summary,
        proof=kind,
        tied=any(proof.tied for proof in proofs),
        fixed=tuple(one.test for one in examined.fixed),
        broken=examined.broken,
        missing=examined.missing,
        flaky=examined.flaky,
        tampered=examined.tampered,
        convicted_by=_named(found, convicted),
        not_run=(*examined.not_run, *_named(found, unknown_to(found, run_id))),
        rules=found.rules.version,
        evidence=_evidence(found, run_id, proofs, convicted),
    )


def _status(
    found: AnswerSet, run_id: RunId, proofs: Sequence[Proof], convicted: Sequence[Crossing]
) -> tuple[VerdictStatus, str]:
    """Status and reason, from the first condition that applies."""
    alone = found.alone[run_id]
    if found.is_review(run_id) and not (alone.complaint or alone.doubt):
        return VerdictStatus.NONE, "holds only tests: they speak about the answers"
    against, pending = _named(found, convicted), [one.test for one in alone.expected.pending]
    troubles = (
        (alone.complaint, VerdictStatus.FAILED, "{}"),
        (
            against and named(against),
            VerdictStatus.FAILED,
            "fails {}, written by another contestant",
        ),
        (found.rejected & {run_id}, VerdictStatus.FAILED, "a person chose another answer"),
        (alone.doubt, VerdictStatus.UNVERIFIED, "{}"),
        (
            pending and named(pending),
            VerdictStatus.UNPROVED,
            "changes what {} expects: a person has to accept it",
        ),
    )
    for fact, status, text in troubles:
        if fact:
            return status, text.format(fact)
    if proofs:
        return VerdictStatus.PASSED, _praise(proofs, found.answers[run_id].examined.faster)
    return VerdictStatus.UNPROVED, _shortfall(found, run_id)


def _praise(proofs: Sequence[Proof], faster: Sequence[Faster]) -> str:
    if proofs[0].test == PERSON:
        return "nothing is broken, and a person accepted it"
    one = next((one for one in faster if one.test == proofs[0].test), None)
    if one is not None:
        return faster_phrase(one)
    goes = "goes" if len(proofs) == 1 else "go"
    return f"{named([proof.test for proof in proofs])} {goes} from red to green"


def _shortfall(found: AnswerSet, run_id: RunId) -> str:
    """Why its valid tests prove nothing."""
    tests = found.answers[run_id].examined.own
    lead = "nothing is broken, but no test goes from red to green"
    if not tests:
        return lead
    first = tests[0]
    if first.subjects:
        return f"nothing is broken, but {first.id} is about {first.subjects[0]}"
    if first.kind is ProofKind.INTERFACE:
        names = ", ".join(first.symbols[:3])
        return f"nothing is broken, but {first.id} uses {names}, which the issue does not name"
    return f"nothing is broken, but {first.id} fails on base for another reason than the behaviour"


def _convictions(found: AnswerSet, run_id: RunId) -> list[Crossing]:
    settlement = found.settlement
    if run_id not in settlement.convicted:
        return []
    against = [c for c in found.convictions if c.target == run_id]
    return [c for c in against if c.author in settlement.standing] or against


def _others_proofs(found: AnswerSet, run_id: RunId) -> list[Proof]:
    """Proving tests of other standing answers that this answer passes."""
    return [
        Proof(f"{found.answers[c.author].handle}::{c.test}", test.kind, test.tied)
        for c in found.crossings
        if c.target == run_id and c.author in found.standing and found.passes(c)
        for test in [found.tests[c.author, c.test]]
        if shows(test, found.rules)
    ]


def _named(found: AnswerSet, crossings: Sequence[Crossing]) -> tuple[str, ...]:
    return tuple(sorted(f"{found.answers[c.author].handle}::{c.test}" for c in crossings))


def _evidence(
    found: AnswerSet, run_id: RunId, proofs: Sequence[Proof], convicted: Sequence[Crossing]
) -> Evidence:
    examined, alone = found.answers[run_id].examined, found.alone[run_id]
    met = [c for c in found.crossings if c.target == run_id]
    failed = [c for c in met if found.fails(c)]
    hung = sum(c.answered is Answered.SLOW and found.is_unsettled(c) for c in met)
    changed = (*alone.expected.accepted, *alone.expected.pending)
    return Evidence(
        proved_by=tuple(dict.fromkeys(proof.test for proof in proofs)),
        weighed=tuple(_weighed(found, run_id, examined)),
        changed_expectations=changed,
        faster=examined.faster,
        own_tests=examined.own_names,
        valid_tests=tuple(test.id for test in examined.own if shows(test, found.rules)),
        own_failed=examined.own_failed,
        cross_passed=_named(found, [c for c in met if found.passes(c)]),
        cross_failed=_named(found, failed),
        joined=_joined(found, run_id, proofs),
        unsteady=examined.unsteady,
        values=found.examination.values.notes(run_id),
        withheld=examined.withheld,
        support=_support(found, run_id),
        failures=len(failed) + hung - len([c for c in convicted if c in failed]),
        size=examined.size,
        executed=examined.executed,
        baseline_executed=examined.baseline_executed,
    )


def _joined(found: AnswerSet, run_id: RunId, proofs: Sequence[Proof]) -> str:
    """The added test, if it still proves the answer: a person's later answer can change that."""
    proved_by = {proof.test for proof in proofs}
    tests = (one for one in found.examination.joined if one.run_id == run_id)
    names = (f"{one.author}::{one.test}" for one in tests)
    return next((name for name in names if name in proved_by), "")


def _weighed(found: AnswerSet, run_id: RunId, examined: Examined) -> list[Weighed]:
    return [
        Weighed(
            test=test.id,
            kind=test.kind,
            tied=test.tied,
            subjects=test.subjects,
            symbols=test.symbols,
            support=found.support.get((run_id, test.id), 0),
        )
        for test in examined.own
    ]


def _support(found: AnswerSet, run_id: RunId) -> int:
    """Number of independent contestants whose answers agree with this one, itself included."""
    answers = (one for one in found.standing if one != run_id and not found.is_review(one))
    others = (one for one in answers if found.agree(run_id, one))
    return found.independent({run_id, *others})
