"""Decides which changed expectations are accepted: a right fix can have to change a base test."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from yudai.kit.ids import RunId
from yudai.verification.domain.convict import independent
from yudai.verification.domain.expectations import same_value
from yudai.verification.domain.facts import Candidate, OpenExpectation
from yudai.verification.domain.question import ACCEPT, REJECT, QuestionKind, key_of
from yudai.verification.domain.rules import Rule, Rules
from yudai.verification.domain.verdict import ChangedExpectation

ISSUE, PERSON = "the issue", "a person"
_TWO = 2

Choices = Mapping[str, str]
"""People's answers, by the question's key."""
Keys = Mapping[RunId, frozenset[str]]
"""By answer: independence keys of all contestants that gave it."""


class Expected(NamedTuple):
    """One answer's changed expectations: accepted or pending."""

    accepted: tuple[ChangedExpectation, ...] = ()
    pending: tuple[ChangedExpectation, ...] = ()
    """A person has to decide these."""

    @property
    def excused(self) -> frozenset[str]:
        return frozenset(one.test for one in (*self.accepted, *self.pending))


class Known(NamedTuple):
    """The other facts that decide, besides the edits themselves."""

    keys: Keys
    choices: Choices
    rules: Rules
    passing: Collection[RunId] | None = None
    """Answers proved without counting agreement; None if agreement does not count yet."""


def settle_expectations(candidates: Sequence[Candidate], known: Known) -> dict[RunId, Expected]:
    return {candidate.run_id: _of(candidate, candidates, known) for candidate in candidates}


def question_key(test: str, now: str) -> str:
    return key_of(QuestionKind.EXPECTATION, test, " ".join(now.split()))


def _of(candidate: Candidate, candidates: Sequence[Candidate], known: Known) -> Expected:
    accepted: list[ChangedExpectation] = []
    pending: list[ChangedExpectation] = []
    for values in _by_test(candidate).values():
        changed = _changed(values, candidates)
        choice = known.choices.get(question_key(changed.test, changed.now))
        if choice == REJECT.id:
            continue
        if choice == ACCEPT.id:
            changed = changed.model_copy(update={"says": (*changed.says, PERSON)})
        is_accepted = (
            choice == ACCEPT.id
            or all(value.given for value in values)
            or Rule.EXPECTATIONS_NEED_A_REASON not in known.rules
            or _is_agreed(values, candidates, known)
        )
        changed = changed.model_copy(update={"accepted": is_accepted})
        (accepted if is_accepted else pending).append(changed)
    return Expected(tuple(accepted), tuple(pending))


def _by_test(candidate: Candidate) -> dict[str, list[OpenExpectation]]:
    """New values by test. All new values of one test are accepted or rejected together."""
    found: dict[str, list[OpenExpectation]] = {}
    for value in candidate.examined.expectations:
        found.setdefault(value.test, []).append(value)
    return found


def _changed(
    values: Sequence[OpenExpectation], candidates: Sequence[Candidate]
) -> ChangedExpectation:
    handles = (c.handle for c in candidates if _expects(c, values))
    return ChangedExpectation(
        test=values[0].test,
        before=", ".join(value.before for value in values),
        now=", ".join(value.now for value in values),
        says=(*([ISSUE] if all(value.given for value in values) else []), *handles),
    )


def _is_agreed(
    values: Sequence[OpenExpectation], candidates: Sequence[Candidate], known: Known
) -> bool:
    """Whether two independent answers agree, and no passing answer keeps the old test."""
    if known.passing is None:
        return False
    agreeing = [known.keys[c.run_id] for c in candidates if _expects(c, values) and _is_sound(c)]
    test = values[0].test
    is_kept = any(
        c.run_id in known.passing and test not in {*c.examined.broken, *c.examined.missing}
        for c in candidates
    )
    return independent(agreeing) >= _TWO and not is_kept


def _expects(candidate: Candidate, values: Sequence[OpenExpectation]) -> bool:
    others = _by_test(candidate).get(values[0].test, [])
    return len(others) == len(values) and all(
        same_value(one.now, other.now) for one, other in zip(values, others, strict=True)
    )


def _is_sound(candidate: Candidate) -> bool:
    """Whether it has no fault besides changed expectations."""
    examined = candidate.examined
    excused = {one.test for one in examined.expectations}
    return not (
        set(examined.broken) - excused
        or examined.missing
        or examined.tampered
        or examined.own_failed
        or examined.unfinished
        or examined.own_unfinished
        or examined.doubt
    )
