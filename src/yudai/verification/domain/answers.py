"""The distinct answers of a solve, and the results of their tests on each other."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from yudai.kit.ids import RunId
from yudai.verification.domain.convict import Settlement, independent, settle
from yudai.verification.domain.expect import Choices, Known, settle_expectations
from yudai.verification.domain.facts import (
    NO_TESTS,
    Answered,
    Candidate,
    Crossing,
    Difference,
    Examination,
)
from yudai.verification.domain.judge import Alone, judge_alone, shows
from yudai.verification.domain.proof import OwnTest, ProofKind
from yudai.verification.domain.question import (
    ACCEPT,
    REJECT,
    behaviours_key,
    neither_of,
    not_run_key,
    support_key,
    test_key,
)
from yudai.verification.domain.rules import Rule, Rules

_TWO = 2
Pair = tuple[RunId, RunId]
"""An author and a rival that fails one of its tests."""


@dataclass(frozen=True)
class AnswerSet:
    """The answers of a solve. Equal patches are one answer, with the first run's id."""

    candidates: Sequence[Candidate]
    examination: Examination
    rules: Rules
    choices: Choices
    is_first_look: bool = False
    """Ignore agreement on expectations, to find the answers that pass without it."""

    @cached_property
    def groups(self) -> list[list[Candidate]]:
        groups: dict[str, list[Candidate]] = {}
        for candidate in self.candidates:
            one = Rule.EQUAL_IS_ONE in self.rules and candidate.examined.answer
            groups.setdefault(one or candidate.run_id, []).append(candidate)
        return list(groups.values())

    @cached_property
    def answers(self) -> dict[RunId, Candidate]:
        return {group[0].run_id: self._excused(group[0]) for group in self.groups}

    def _excused(self, candidate: Candidate) -> Candidate:
        """Add expectations that other answers change; drop a doubt that their tests settle."""
        examined, run_id = candidate.examined, candidate.run_id
        more = [one for run, one in self.examination.expectations if run == run_id]
        if more:
            expectations = (*examined.expectations, *more)
            examined = examined.model_copy(update={"expectations": expectations})
        if examined.doubt == NO_TESTS and run_id in self._examined_by_others:
            examined = examined.model_copy(update={"doubt": ""})
        return candidate._replace(examined=examined)

    @cached_property
    def _examined_by_others(self) -> frozenset[RunId]:
        settled = (c for c in self.examination.crossings if c.answered is not Answered.UNKNOWN)
        return frozenset(crossing.target for crossing in settled)

    @cached_property
    def keys(self) -> dict[RunId, frozenset[str]]:
        return {
            group[0].run_id: frozenset(candidate.independence for candidate in group)
            for group in self.groups
        }

    @cached_property
    def alone(self) -> dict[RunId, Alone]:
        passing = None if self.is_first_look else replace(self, is_first_look=True).proved
        known = Known(self.keys, self.choices, self.rules, passing)
        expected = settle_expectations(list(self.answers.values()), known)
        return {
            run_id: self._with_values(
                run_id, judge_alone(candidate.examined, self.rules, expected[run_id])
            )
            for run_id, candidate in self.answers.items()
        }

    def _with_values(self, run_id: RunId, alone: Alone) -> Alone:
        if alone.complaint or Rule.VALUES_ARE_RECORDED not in self.rules:
            return alone
        return alone._replace(complaint=self.examination.values.complaint(run_id))

    def difference(self, one: RunId, other: RunId) -> Difference | None:
        """The smallest input on which two answers give different values."""
        if Rule.VALUES_ARE_RECORDED not in self.rules:
            return None
        return self.examination.values.between(one, other)

    @cached_property
    def sound(self) -> frozenset[RunId]:
        """Answers without a fault or a doubt of their own."""
        return frozenset(
            r for r, alone in self.alone.items() if not (alone.complaint or alone.doubt)
        )

    @cached_property
    def witnesses(self) -> frozenset[RunId]:
        """Sound answers without a pending question; only their tests may convict."""
        return frozenset(r for r in self.sound if not self.alone[r].expected.pending)

    @cached_property
    def tests(self) -> dict[tuple[RunId, str], OwnTest]:
        """Valid tests by author and id, of answers whose tests may convict."""
        may_speak = self.witnesses if Rule.AUTHOR_STANDS in self.rules else self.answers.keys()
        again = self.examination.author_failed if Rule.AUTHOR_PASSES_AGAIN in self.rules else ()
        return {
            (run_id, test.id): test
            for run_id in may_speak
            for test in self.answers[run_id].examined.own
            if (run_id, test.id) not in again and self._is_believed(run_id, test)
        }

    def is_review(self, run_id: RunId) -> bool:
        """Whether the patch holds only tests: it can convict answers but is not one itself."""
        return self.answers[run_id].examined.tests_only

    def _is_believed(self, run_id: RunId, test: OwnTest) -> bool:
        """Whether a test counts. Without a patch it needs two independent passes or a person."""
        if not self.is_review(run_id):
            return True
        choice = self.choices.get(test_key(run_id, test.id))
        if choice is not None:
            return choice == ACCEPT.id
        passing = {
            crossing.target
            for crossing in self.examination.crossings
            if (crossing.author, crossing.test) == (run_id, test.id)
            and crossing.target in self.witnesses
            and self.passes(crossing)
        }
        return self.independent(passing) >= _TWO

    @cached_property
    def crossings(self) -> list[Crossing]:
        return [
            crossing
            for crossing in self.examination.crossings
            if (crossing.author, crossing.test) in self.tests and crossing.target in self.answers
        ]

    def passes(self, crossing: Crossing) -> bool:
        is_skip = crossing.says in {"skipped", "xfailed"}
        return crossing.answered is Answered.PASSED or (
            is_skip and Rule.ONLY_PASSED_PASSES not in self.rules
        )

    def fails(self, crossing: Crossing) -> bool:
        """Whether the target failed this test for a reason that counts."""
        if self.passes(crossing):
            return False
        if self.is_unsettled(crossing):
            return False
        test = self.tests[crossing.author, crossing.test]
        is_only_wording = test.is_worded and crossing.is_wording
        if is_only_wording and Rule.SUBJECTS_PROVE_NOTHING in self.rules:
            return False
        is_foreign = bool(test.symbols or test.loads) and not crossing.is_behaviour
        is_about_itself = bool(test.symbols) and not test.tied
        is_excused = is_foreign or is_about_itself
        return not (is_excused and Rule.FOREIGN_NAMES_ACQUIT in self.rules)

    def is_unsettled(self, crossing: Crossing) -> bool:
        """Whether the test neither passed nor failed: it could not be run or took too long."""
        is_slow = crossing.answered is Answered.SLOW
        return crossing.answered is Answered.UNKNOWN or (
            is_slow and Rule.ENDS_IN_TIME in self.rules
        )

    def may_convict(self, test: OwnTest) -> bool:
        return Rule.ONLY_PROOFS_CONVICT not in self.rules or shows(test, self.rules)

    @cached_property
    def convictions(self) -> list[Crossing]:
        """Failures that convict their target, unless the author is convicted itself."""
        found = [
            crossing
            for crossing in self.crossings
            if self.fails(crossing)
            and self.may_convict(self.tests[crossing.author, crossing.test])
            and not self._is_pending(crossing)
        ]
        if Rule.COMMANDS_NEED_TWO not in self.rules:
            return found
        return [c for c in found if not self._is_lone_command(c, found)]

    def _is_pending(self, crossing: Crossing) -> bool:
        """Whether its changed expectation is not accepted yet; such a test convicts no answer."""
        pending = self.alone[crossing.author].expected.pending
        return any(one.test == crossing.test for one in pending)

    def _is_lone_command(self, crossing: Crossing, found: Iterable[Crossing]) -> bool:
        if self.tests[crossing.author, crossing.test].kind is not ProofKind.COMMAND:
            return False
        texts = {
            self.tests[other.author, other.test].text or other.author: other.author
            for other in found
            if other.target == crossing.target
        }
        return self.independent(texts.values()) < _TWO

    @cached_property
    def support(self) -> dict[tuple[RunId, str], int]:
        """How many independent sound answers pass a test, its author's own included."""
        backers = {key: set[RunId]() if self.is_review(key[0]) else {key[0]} for key in self.tests}
        for crossing in self.crossings:
            if self.passes(crossing) and crossing.target in self.witnesses:
                backers[crossing.author, crossing.test].add(crossing.target)
        return {key: self.independent(found) for key, found in backers.items()}

    def independent(self, answers: Iterable[RunId]) -> int:
        return independent(self.keys[run_id] for run_id in sorted(answers))

    @cached_property
    def attacks(self) -> dict[Pair, int]:
        attacks: dict[Pair, int] = {}
        for crossing in self.convictions:
            pair = (crossing.author, crossing.target)
            weight = self.support[crossing.author, crossing.test]
            attacks[pair] = max(weight, attacks.get(pair, 0))
            if self._is_outweighed(crossing):
                back = (crossing.target, crossing.author)
                attacks[back] = max(weight, attacks.get(back, 0))
        return attacks

    def _is_outweighed(self, crossing: Crossing) -> bool:
        """Whether an untied test fails on more independent answers than it passes on."""
        key = (crossing.author, crossing.test)
        if self.tests[key].tied or Rule.SUPPORT_DECIDES not in self.rules:
            return False
        return self.support[key] < self.independent(self._failing[key] & self.witnesses)

    @cached_property
    def _failing(self) -> dict[tuple[RunId, str], set[RunId]]:
        """By test, the answers that it would convict."""
        failing: dict[tuple[RunId, str], set[RunId]] = {}
        for crossing in self.convictions:
            failing.setdefault((crossing.author, crossing.test), set()).add(crossing.target)
        return failing

    @cached_property
    def settlement(self) -> Settlement[RunId]:
        nodes = sorted(self.sound | {author for author, _ in self.attacks})
        weighs = Rule.SUPPORT_DECIDES in self.rules
        found = settle(nodes, self.attacks, weighs=weighs)
        overruled = {
            (one, chosen)
            for group in found.disputed
            for chosen in group
            if self.choices.get(support_key(group)) == self.answers[chosen].handle
            for one in group
        }
        if not overruled:
            return found
        left = {pair: weight for pair, weight in self.attacks.items() if pair not in overruled}
        return settle(nodes, left, weighs=weighs)

    @cached_property
    def rejected(self) -> frozenset[RunId]:
        """Answers that a person did not choose."""
        found = {r for r in self.answers if self.choices.get(not_run_key(r)) == REJECT.id}
        for group in self.settlement.disputed:
            if self.choices.get(support_key(group)) == self._neither(group):
                found |= group
        for one, other in combinations(sorted(self.answers), 2):
            choice = self.choices.get(behaviours_key(one, other), "")
            handles = {self.answers[one].handle: other, self.answers[other].handle: one}
            if choice == self._neither((one, other)):
                found |= {one, other}
            elif choice in handles:
                found.add(handles[choice])
        return frozenset(found)

    def _neither(self, runs: Iterable[RunId]) -> str:
        return neither_of(self.answers[run_id].handle for run_id in runs).id

    @cached_property
    def standing(self) -> frozenset[RunId]:
        """Sound answers that are neither convicted nor rejected."""
        return self.sound - self.settlement.convicted - self.rejected

    @cached_property
    def proved(self) -> frozenset[RunId]:
        """Standing answers that a test proves: base's, their own, or another answer's."""
        by_others = {
            crossing.target
            for crossing in self.crossings
            if crossing.author in self.standing
            and self.passes(crossing)
            and shows(self.tests[crossing.author, crossing.test], self.rules)
        }
        return frozenset(r for r in self.standing if self.alone[r].proofs or r in by_others)

    def between(self, one: RunId, other: RunId) -> Iterator[Crossing]:
        pair = {one, other}
        return (c for c in self.crossings if {c.author, c.target} == pair)

    def told_apart(self, one: RunId, other: RunId) -> frozenset[RunId]:
        """Those of the two whose test the other one fails."""
        return frozenset(c.author for c in self.between(one, other) if self._tells_apart(c))

    def _tells_apart(self, crossing: Crossing) -> bool:
        test = self.tests[crossing.author, crossing.test]
        # A plain command gives only an exit code.
        is_behaviour = crossing.is_behaviour or test.kind is ProofKind.COMMAND
        return self.fails(crossing) and is_behaviour and not test.subjects

    def agree(self, one: RunId, other: RunId) -> bool:
        """Whether each proving test of one passes on the other, and at least one has run."""
        met = [
            crossing
            for crossing in self.between(one, other)
            if shows(self.tests[crossing.author, crossing.test], self.rules)
        ]
        unsettled = any(map(self.is_unsettled, met))
        return any(map(self.passes, met)) and not unsettled and not any(map(self.fails, met))
