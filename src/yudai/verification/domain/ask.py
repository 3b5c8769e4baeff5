"""Makes the questions that a person has to answer before there can be a champion."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from yudai.kit.ids import RunId
from yudai.verification.domain.answers import AnswerSet
from yudai.verification.domain.expect import PERSON, question_key
from yudai.verification.domain.facts import Crossing, Difference, Examined
from yudai.verification.domain.judge import Proof, shows
from yudai.verification.domain.proof import OwnTest, ProofKind
from yudai.verification.domain.question import (
    ACCEPT,
    REJECT,
    Choice,
    Question,
    QuestionKind,
    behaviours_key,
    key_of,
    neither_of,
    not_run_key,
    support_key,
    test_key,
)
from yudai.verification.domain.rules import Rule
from yudai.verification.domain.verdict import Verdict, VerdictStatus

Verdicts = Mapping[RunId, Verdict]
_UNDECIDED = "Which of these two answers is right? Both pass, and they behave differently."


def questions(found: AnswerSet, verdicts: Verdicts) -> list[Question]:
    """The open questions, in a stable order."""
    made = [
        *_expectations(found),
        *_support(found, verdicts),
        *_behaviours(found, verdicts),
        *_not_run(found, verdicts),
        *_tests(found, verdicts),
        *_unproved(found, verdicts),
    ]
    return [question for question in made if question.key not in found.choices]


def accepted_by_person(found: AnswerSet, run_id: RunId) -> list[Proof]:
    """Proofs by a person's answer. They are tied to the issue only if a test shows something."""
    accepted = [
        Proof(PERSON, ProofKind.INTERFACE, tied=kind is QuestionKind.INTERFACE)
        for kind in (QuestionKind.INTERFACE, QuestionKind.NO_PROOF)
        if found.choices.get(_proof_key(kind, run_id)) == ACCEPT.id
    ]
    handle = found.answers[run_id].handle
    pairs = (behaviours_key(run_id, other) for other in found.answers if other != run_id)
    # The only proof of the chosen answer may be a test of the answer that was not chosen.
    is_chosen = any(found.choices.get(key) == handle for key in pairs)
    return [*accepted, *([Proof(PERSON, ProofKind.INTERFACE, tied=False)] if is_chosen else [])]


def unknown_to(found: AnswerSet, run_id: RunId) -> list[Crossing]:
    """Tests that would count but did not finish on this answer."""
    return [
        crossing
        for crossing in found.crossings
        if crossing.target == run_id
        and found.is_unsettled(crossing)
        and crossing.author in found.standing
        and found.may_convict(found.tests[crossing.author, crossing.test])
    ]


def _proof_key(kind: QuestionKind, run_id: RunId) -> str:
    return key_of(kind, run_id)


def _expectations(found: AnswerSet) -> Iterator[Question]:
    """One question per new value, however many answers propose it."""
    about: dict[str, list[RunId]] = {}
    pending = {
        question_key(one.test, one.now): one
        for run_id in found.standing
        for one in found.alone[run_id].expected.pending
    }
    for run_id in sorted(found.standing):
        for one in found.alone[run_id].expected.pending:
            about.setdefault(question_key(one.test, one.now), []).append(run_id)
    for key, waiting in about.items():
        one = pending[key]
        runs = (*waiting, *_keepers(found, waiting, one.test))
        yield Question(
            key=key,
            kind=QuestionKind.EXPECTATION,
            text=f"Should {one.test} expect {one.now} instead of {one.before}?",
            choices=(ACCEPT, REJECT),
            runs=runs,
            detail=f"{one.test}\n- {one.before}\n+ {one.now}\nsaid by: {', '.join(one.says)}",
        )


def _keepers(found: AnswerSet, waiting: list[RunId], test: str) -> list[RunId]:
    """Proved answers that keep the old value, if a waiting answer has another proof."""
    if not any(found.alone[run_id].proofs for run_id in waiting):
        return []
    return [
        run_id
        for run_id in sorted(found.standing - set(waiting))
        if test not in found.answers[run_id].examined.broken and found.alone[run_id].proofs
    ]


def _support(found: AnswerSet, verdicts: Verdicts) -> Iterator[Question]:
    for group in found.settlement.disputed:
        runs = sorted(group)
        if not any(verdicts[run_id].status is VerdictStatus.PASSED for run_id in runs):
            continue
        yield Question(
            key=support_key(group),
            kind=QuestionKind.SUPPORT,
            text="Which of these answers is right? Each fails a test of another one, and as many"
            " answers pass each of these tests.",
            choices=_handles(found, runs),
            runs=tuple(runs),
            detail=_failures(found, runs),
        )


def _behaviours(found: AnswerSet, verdicts: Verdicts) -> Iterator[Question]:
    """Pairs of passing answers that differ, unless size-independent criteria already decide."""
    if Rule.DIFFERENCE_IS_A_QUESTION not in found.rules:
        return
    disputed = {run_id for group in found.settlement.disputed for run_id in group}
    passed = [
        r
        for r in sorted(verdicts)
        if verdicts[r].status is VerdictStatus.PASSED and r not in disputed
    ]
    for one, other in combinations(passed, 2):
        difference = found.difference(one, other)
        authors = found.told_apart(one, other)
        standing = {run_id: _standing(verdicts[run_id]) for run_id in (one, other)}
        ahead = min(standing, key=lambda run_id: standing[run_id])
        is_level = standing[one] == standing[other]
        if (authors or difference) and (is_level or authors - {ahead}):
            yield Question(
                key=behaviours_key(one, other),
                kind=QuestionKind.BEHAVIOURS,
                text=_apart(found, difference) if difference else _UNDECIDED,
                choices=_handles(found, [one, other]),
                runs=(one, other),
                detail="\n".join(
                    filter(None, [_failures(found, [one, other]), difference and difference.code])
                ),
            )


def _standing(verdict: Verdict) -> tuple[int, bool, int, int]:
    """Sort key of all criteria before size, best first."""
    evidence = verdict.evidence
    kind = list(ProofKind).index(verdict.proof)
    return (kind, not verdict.tied, -evidence.support, evidence.failures)


def _apart(found: AnswerSet, difference: Difference) -> str:
    sides = (
        f"{found.answers[run_id].handle} says `{difference.gives(run_id)}`"
        for run_id in (difference.one, difference.other)
    )
    return f"What should `{difference.input}` give: {' or '.join(sides)}?"


def _not_run(found: AnswerSet, verdicts: Verdicts) -> Iterator[Question]:
    if Rule.UNKNOWN_IS_A_QUESTION not in found.rules:
        return
    for run_id, verdict in verdicts.items():
        if verdict.status is VerdictStatus.PASSED and verdict.not_run:
            handle = found.answers[run_id].handle
            yield Question(
                key=not_run_key(run_id),
                kind=QuestionKind.NOT_RUN,
                text=f"Is {handle} right, although tests that count could not be run on it?",
                choices=(ACCEPT, REJECT),
                runs=(run_id,),
                detail="\n".join(verdict.not_run),
            )


def _tests(found: AnswerSet, verdicts: Verdicts) -> Iterator[Question]:
    """Whether a test without a patch is right. Answers that fail it or lack a proof wait."""
    for author in sorted(r for r in found.sound if found.is_review(r)):
        for test in found.answers[author].examined.own:
            if (author, test.id) in found.tests or not shows(test, found.rules):
                continue
            met = [
                c for c in found.examination.crossings if (c.author, c.test) == (author, test.id)
            ]
            failing = [c.target for c in met if c.target in found.standing and not found.passes(c)]
            unproved = (c.target for c in met if found.passes(c) and c.target in found.standing)
            waiting = [r for r in unproved if verdicts[r].status is VerdictStatus.UNPROVED]
            if runs := tuple(dict.fromkeys((*waiting, *failing))):
                handle = found.answers[author].handle
                yield Question(
                    key=test_key(author, test.id),
                    kind=QuestionKind.TEST,
                    text=f"Is the test {test.id} of {handle} right? It came without a patch.",
                    choices=(ACCEPT, REJECT),
                    runs=runs,
                    detail="\n".join(f"{found.answers[r].handle} fails it" for r in failing),
                )


def _unproved(found: AnswerSet, verdicts: Verdicts) -> Iterator[Question]:
    """Unproved answers without a fault; a person decides whether they solve the issue."""
    for run_id, verdict in verdicts.items():
        if verdict.status is not VerdictStatus.UNPROVED or found.alone[run_id].expected.pending:
            continue
        candidate = found.answers[run_id]
        if candidate.examined.tests_only:
            continue
        new = [
            t for t in candidate.examined.own if t.kind is ProofKind.INTERFACE and not t.subjects
        ]
        if new:
            names = ", ".join(new[0].symbols[:3])
            yield Question(
                key=_proof_key(QuestionKind.INTERFACE, run_id),
                kind=QuestionKind.INTERFACE,
                text=f"Does {candidate.handle} solve the issue? Its only proof uses {names}, which"
                " the issue does not name.",
                choices=(ACCEPT, REJECT),
                runs=(run_id,),
                detail="\n".join(map(_red, new)),
            )
        elif why := candidate.examined.is_asked_without_proof:
            yield Question(
                key=_proof_key(QuestionKind.NO_PROOF, run_id),
                kind=QuestionKind.NO_PROOF,
                text=f"Does {candidate.handle} solve the issue? No test can show it: {why}.",
                choices=(ACCEPT, REJECT),
                runs=(run_id,),
                detail=_changes(candidate.examined),
            )


def _red(test: OwnTest) -> str:
    """How a test failed on base."""
    return f"{test.id}{(test.red and test.red.line and f', on the base: {test.red.line}') or ''}"


def _changes(examined: Examined) -> str:
    lines = "1 line" if examined.size == 1 else f"{examined.size} lines"
    return f"{lines} of code changed; {examined.executed} tests of the base ran, and none is broken"


def _handles(found: AnswerSet, runs: list[RunId]) -> tuple[Choice, ...]:
    handles = [found.answers[run_id].handle for run_id in runs]
    made = (Choice(id=handle, text=handle) for handle in handles)
    return (*made, neither_of(handles))


def _failures(found: AnswerSet, runs: list[RunId]) -> str:
    return "\n".join(
        f"{found.answers[c.target].handle} fails {found.answers[c.author].handle}::{c.test}"
        f" (passed by {found.support[c.author, c.test]}){c.message and f': {c.message}'}"
        for c in found.crossings
        if c.author in runs and c.target in runs and found.fails(c)
    )
