"""Which changed expectations are accepted: a right fix sometimes has to change a test of base."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from yudai.kit.ids import RunId
from yudai.verification.domain.expectations import same_value
from yudai.verification.domain.facts import Candidate, OpenExpectation
from yudai.verification.domain.question import ACCEPT, REJECT, QuestionKind, key_of
from yudai.verification.domain.rules import Rule, Rules
from yudai.verification.domain.verdict import ChangedExpectation

ISSUE, PERSON = "the issue", "a person"
_TWO = 2

Choices = Mapping[str, str]
"""What people answered, by the question's key."""
Keys = Mapping[RunId, frozenset[str]]
"""Independence keys of all contestants that gave an answer."""


class Expected(NamedTuple):
    """What becomes of one answer's changed expectations."""

    accepted: tuple[ChangedExpectation, ...] = ()
    pending: tuple[ChangedExpectation, ...] = ()
    """A person has to say."""

    @property
    def excused(self) -> frozenset[str]:
        return frozenset(one.test for one in (*self.accepted, *self.pending))


def settle_expectations(
    candidates: Sequence[Candidate], keys: Keys, choices: Choices, rules: Rules
) -> dict[RunId, Expected]:
    return {
        candidate.run_id: _of(candidate, candidates, keys, choices, rules)
        for candidate in candidates
    }


def question_key(open_one: OpenExpectation | ChangedExpectation) -> str:
    return key_of(QuestionKind.EXPECTATION, open_one.test, " ".join(open_one.now.split()))


def _of(
    candidate: Candidate,
    candidates: Sequence[Candidate],
    keys: Keys,
    choices: Choices,
    rules: Rules,
) -> Expected:
    accepted: list[ChangedExpectation] = []
    pending: list[ChangedExpectation] = []
    for one in candidate.examined.expectations:
        choice = choices.get(question_key(one))
        if choice == REJECT.id:
            continue
        says = _says(one, candidates)
        if choice == ACCEPT.id:
            says = (*says, PERSON)
        is_accepted = (
            choice == ACCEPT.id
            or one.given
            or Rule.EXPECTATIONS_NEED_A_REASON not in rules
            or (_agree(one, candidates, keys) and not _is_kept(one, candidates))
        )
        changed = ChangedExpectation(
            test=one.test, before=one.before, now=one.now, says=says, accepted=is_accepted
        )
        (accepted if is_accepted else pending).append(changed)
    return Expected(tuple(accepted), tuple(pending))


def _says(one: OpenExpectation, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    handles = (c.handle for c in candidates if _expects(c, one))
    return (*([ISSUE] if one.given else []), *handles)


def _agree(one: OpenExpectation, candidates: Sequence[Candidate], keys: Keys) -> bool:
    agreeing = [keys[c.run_id] for c in candidates if _expects(c, one) and _is_sound(c)]
    return len(frozenset[str]().union(*agreeing)) >= _TWO


def _expects(candidate: Candidate, one: OpenExpectation) -> bool:
    return any(
        other.test == one.test and same_value(other.now, one.now)
        for other in candidate.examined.expectations
    )


def _is_kept(one: OpenExpectation, candidates: Sequence[Candidate]) -> bool:
    """Whether an answer that passes leaves the test as it was."""
    return any(
        one.test not in c.examined.broken
        and one.test not in c.examined.missing
        and not c.examined.broken
        and _is_sound(c)
        and any(test.proves for test in c.examined.own)
        for c in candidates
    )


def _is_sound(candidate: Candidate) -> bool:
    """Nothing is wrong with it, but for expectations that it would change."""
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
