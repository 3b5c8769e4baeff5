"""What was found out about patches by running tests: the facts that verdicts follow from."""

import re
from enum import StrEnum
from typing import NamedTuple

from yudai.kit.ids import RunId
from yudai.kit.value import Value
from yudai.testing.domain.report import Failure, FailureKind
from yudai.verification.domain.proof import Faster, OwnTest, ProofKind, Subject
from yudai.verification.domain.sources.names import words

NO_TESTS = "no tests could be run"


_BUILTIN_TYPES = words(
    """NoneType str int float complex bool list dict tuple set frozenset bytes bytearray range
    generator coroutine"""
)
_QUOTED = re.compile(r"""['"]([^'"]{1,80})['"]|non-iterable (\w+) object""")
_NO_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute ")
# A call that base cannot take, or nothing to call: a name is missing, no value is wrong.
_NO_CALL = re.compile(r"\bargument|not callable|abstract class|is not a (?:function|constructor)$")
_NO_VALUE = re.compile(
    r"Cannot (?:read|set) propert(?:y|ies) .*of (?:undefined|null)\b|Cannot destructure property "
    r"|(?:undefined|null|return value) is not iterable"
)
_LOOKUPS = frozenset({"KeyError", "IndexError"})
_LIMITS = frozenset({"TimeoutError", "TimeoutExpired"})
# What runners say when the right exception says something else.
_OTHER_WORDS = re.compile(
    r"Regex pattern did not match|Pattern .* (?:does not match|not found in) "
    r"|['\"].*['\"] does not match ['\"]|The input did not match the regular expression"
    r"|matching the regex were emitted\..*Emitted warnings: \[(?!\])"
    r"|\bReceived message:|\bto throw (?:an )?error (?:including|matching|with message) .*but got ",
    re.DOTALL,
)
_CHANGED_LINE = re.compile(r"^[-+] +(.*)$", re.MULTILINE)
_MESSAGE_LINE = re.compile(r"[\"']?message[\"']?:")
_NO_CHANGES = frozenset({"actual - expected", "Received", "Expected"})


class BaseProof(Value):
    """A test of base that was red and is green with the patch."""

    test: str
    kind: ProofKind
    tied: bool = False
    subjects: tuple[Subject, ...] = ()
    """Files that it reads and that the issue does not ask for."""


class OpenExpectation(Value):
    """A test of base that the patch breaks and that passes with another expected value."""

    test: str
    path: str
    before: str
    now: str
    as_test: str = ""
    """Its id with the new value, where that is another one."""
    own: bool = True
    """The patch itself changes the expectation; else another answer does."""
    given: bool = False
    """The issue gives the new value."""


class Examined(Value):
    """What was found about one patch by itself, with every failure confirmed."""

    answer: str = ""
    """Equal patches have equal ones, whatever their layout and comments."""
    refused: str = ""
    """Why it cannot be applied or must not be."""
    fixed: tuple[BaseProof, ...] = ()
    broken: tuple[str, ...] = ()
    """Tests of base that fail with the patch, changed expectations included."""
    missing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    """Failed once and passed when they were run again."""
    unfinished: str = ""
    """What did not run to its end, and how."""
    own: tuple[OwnTest, ...] = ()
    """Its own new tests that are green on it and red on base."""
    own_names: tuple[str, ...] = ()
    """All of its own new tests."""
    own_failed: tuple[str, ...] = ()
    own_unfinished: str = ""
    expectations: tuple[OpenExpectation, ...] = ()
    tampered: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    doubt: str = ""
    """Why nothing can be said about the patch."""
    executed: int = 0
    baseline_executed: int = 0
    size: int = 0
    faster: tuple[Faster, ...] = ()
    """What became at least twice as fast, where the issue is about performance."""
    tests_only: bool = False
    """It holds tests and nothing else: no answer, but a test that others have to pass."""
    is_asked_without_proof: str = ""
    """Why a person can be asked although no test shows it: a refactoring, documents only."""


class Answered(StrEnum):
    """What became of a test of one answer on another."""

    PASSED = "passed"
    FAILED = "failed"
    """It was not passed, whatever it says of itself."""
    SLOW = "slow"
    """It took far longer than on its author's patch."""
    UNKNOWN = "unknown"
    """We could not run it."""


class Crossing(Value):
    """One test of one answer, run on another answer."""

    author: RunId
    test: str
    target: RunId
    answered: Answered
    is_behaviour: bool = True
    """It failed by what the code did, not for lack of a name."""
    is_wording: bool = False
    """It raised what the test asks for, and only said it in other words."""
    says: str = ""
    """What the runner said of it: skipped, xfailed, nothing."""
    message: str = ""
    """How it failed, in a line: for the person who has to decide."""


class OnlyInside(Value):
    """An assertion that holds only inside a test runner."""

    run_id: RunId
    test: str
    input: str
    gives: str
    """What it gives outside."""


class Difference(Value):
    """The smallest input that was found on which two answers differ."""

    one: RunId
    other: RunId
    input: str
    code: str = ""
    """The statements that lead to it."""
    one_gives: str
    other_gives: str
    given: RunId | None = None
    """The side whose value the issue gives for it."""

    def gives(self, run_id: RunId) -> str:
        return self.one_gives if run_id == self.one else self.other_gives


class RecordedValues(Value):
    """What answers compute where no test runner is loaded."""

    only_inside: tuple[OnlyInside, ...] = ()
    differences: tuple[Difference, ...] = ()
    no_ops: tuple[RunId, ...] = ()
    """Answers that do as base does on every input on which another one does not."""
    not_repeated: tuple[tuple[RunId, str, str], ...] = ()
    """Proofs by their author that could not be repeated, and why."""
    inputs: int = 0
    """How many varied inputs were compared."""

    def complaint(self, run_id: RunId) -> str:
        """What is wrong with an answer by the values that it computes; empty: nothing."""
        for one in self.only_inside:
            if one.run_id == run_id:
                return f"passes {one.test} only inside a test runner: {one.input} is {one.gives}"
        for found in self.differences:
            if found.given and run_id in {found.one, found.other} - {found.given}:
                said = found.gives(found.given)
                return f"says that {found.input} is {found.gives(run_id)}, the issue {said}"
        return ""

    def notes(self, run_id: RunId) -> tuple[str, ...]:
        """What else these values say of an answer, which decides nothing."""
        no_op = "does as base does on every varied input on which another answer does not"
        lost = [
            f"{test} is not repeated outside its runner: {why}"
            for author, test, why in self.not_repeated
            if author == run_id
        ]
        return (*([no_op] if run_id in self.no_ops else []), *lost)

    def between(self, one: RunId, other: RunId) -> Difference | None:
        pair = {one, other}
        return next((found for found in self.differences if {found.one, found.other} == pair), None)


NOT_RECORDED = RecordedValues()


class JoinedTest(Value):
    """A test of another contestant that was verified together with an answer: it is published."""

    run_id: RunId
    author: str
    """A handle."""
    test: str


class Examination(Value):
    """All that was found by running one answer's tests on the others."""

    crossings: tuple[Crossing, ...] = ()
    author_failed: tuple[tuple[RunId, str], ...] = ()
    """Tests that their own author no longer passed after all others were examined."""
    expectations: tuple[tuple[RunId, OpenExpectation], ...] = ()
    """By answer: tests that it breaks and passes as another answer has edited them."""
    values: RecordedValues = NOT_RECORDED
    joined: tuple[JoinedTest, ...] = ()


NOT_EXAMINED = Examination()


class Candidate(NamedTuple):
    """One run with its answer, as the rules see it."""

    run_id: RunId
    handle: str
    independence: str
    """Contestants with an equal one are not independent: the same model and strategy, or author."""
    examined: Examined


def is_behaviour(failure: Failure | None, *, is_test: bool) -> bool:
    """Whether a failure is about what the code did; `is_test`: the innermost frame is test code."""
    if failure is None:
        return False
    if failure.kind in {FailureKind.ASSERTION, FailureKind.TIMEOUT}:
        return True
    return failure.kind in {FailureKind.EXCEPTION, FailureKind.EXIT} and not is_test


def compares_message(failure: Failure | None) -> bool:
    """Whether an assertion about an exception fails only by what the exception says."""
    if failure is None or failure.kind is not FailureKind.ASSERTION:
        return False
    if _OTHER_WORDS.search(failure.message):
        return True
    lines = [line for line in _CHANGED_LINE.findall(failure.message) if not _is_legend(line)]
    return bool(lines) and all(map(_MESSAGE_LINE.match, lines))


def _is_legend(line: str) -> bool:
    return re.sub(r" *(?:[-+] *)?\d*$", "", line) in _NO_CHANGES


def is_of_base(failure: Failure | None) -> bool:
    """Of an exception in the test itself that uses no new names: whether base is why."""
    if failure is None or failure.kind is not FailureKind.EXCEPTION or not failure.frames:
        return False
    return failure.type in _LIMITS | _LOOKUPS or _is_about_a_value(failure)


def _is_about_a_value(failure: Failure) -> bool:
    """The value is of a type that every program has: what it lacks is no new name."""
    message = failure.message
    if failure.type == "AttributeError":
        found = _NO_ATTRIBUTE.match(message)
        return found is not None and found[1] in _BUILTIN_TYPES
    if failure.type != "TypeError":
        return False
    if _NO_VALUE.search(message):
        return True
    types = ["".join(match.groups("")) for match in _QUOTED.finditer(message)]
    types = [text for text in types if text.isidentifier()]
    is_known = bool(types) and _BUILTIN_TYPES.issuperset(types)
    return is_known and _NO_CALL.search(message) is None
