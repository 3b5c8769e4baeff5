"""The facts about patches that verdicts follow from, found by running tests."""

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
# The call does not fit base, or its function is missing: no value is wrong.
_NO_CALL = re.compile(r"\bargument|not callable|abstract class|is not a (?:function|constructor)$")
_NO_VALUE = re.compile(
    r"Cannot (?:read|set) propert(?:y|ies) .*of (?:undefined|null)\b|Cannot destructure property "
    r"|(?:undefined|null|return value) is not iterable"
)
_LOOKUPS = frozenset({"KeyError", "IndexError"})
_LIMITS = frozenset({"TimeoutError", "TimeoutExpired"})
# Runners' messages for the expected exception with another message.
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
    """A test of base that failed before the patch and passes with it."""

    test: str
    kind: ProofKind
    tied: bool = False
    subjects: tuple[Subject, ...] = ()
    """Why it shows no behaviour of the product, such as a file that it reads."""


class OpenExpectation(Value):
    """A test of base that the patch breaks and that passes with another expected value."""

    test: str
    path: str
    before: str
    now: str
    as_test: str = ""
    """Its id in the patch, if the new value changes it."""
    own: bool = True
    """Whether the patch itself changes the expectation, not only another answer."""
    given: bool = False
    """Whether the issue gives the new value."""


class Examined(Value):
    """The facts about one patch alone, with every failure confirmed."""

    answer: str = ""
    """Digest of the patch; equal patches share it."""
    refused: str = ""
    """Why the patch cannot or must not be applied."""
    fixed: tuple[BaseProof, ...] = ()
    broken: tuple[str, ...] = ()
    """Tests of base that fail with the patch, changed expectations included."""
    missing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    """Tests that failed once and passed when they ran again."""
    unfinished: str = ""
    """How base's tests ended on the patch, if they did not finish."""
    own: tuple[OwnTest, ...] = ()
    """Its own new tests that pass on it and fail on base."""
    own_names: tuple[str, ...] = ()
    """All of its own new tests."""
    own_failed: tuple[str, ...] = ()
    own_unfinished: str = ""
    expectations: tuple[OpenExpectation, ...] = ()
    tampered: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    doubt: str = ""
    """Why the patch cannot be judged."""
    executed: int = 0
    baseline_executed: int = 0
    size: int = 0
    faster: tuple[Faster, ...] = ()
    """Tests that became at least twice as fast, if the issue is about performance."""
    tests_only: bool = False
    """Whether the patch holds only tests: it is no answer, but other answers have to pass them."""
    is_asked_without_proof: str = ""
    """Why a person can be asked without a test: a refactoring, documentation only."""


class Answered(StrEnum):
    """The result of one answer's test on another answer."""

    PASSED = "passed"
    FAILED = "failed"
    """Any result but passed, slow or unknown; a skip counts as failed."""
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
    """Whether it failed by the code's behaviour and not because a name is missing."""
    is_wording: bool = False
    """Whether the expected exception was raised with another message."""
    says: str = ""
    """The runner's outcome, such as skipped or xfailed; empty if there is none."""
    message: str = ""
    """How it failed, in one line, for the person who decides."""


class OnlyInside(Value):
    """An assertion that holds only inside a test runner."""

    run_id: RunId
    test: str
    input: str
    gives: str
    """The value outside the test runner."""


class Difference(Value):
    """The smallest known input on which two answers differ."""

    one: RunId
    other: RunId
    input: str
    code: str = ""
    """The statements before the input."""
    one_gives: str
    other_gives: str
    given: RunId | None = None
    """The answer whose value the issue gives for this input."""

    def gives(self, run_id: RunId) -> str:
        return self.one_gives if run_id == self.one else self.other_gives


class RecordedValues(Value):
    """The values that answers compute without a test runner."""

    only_inside: tuple[OnlyInside, ...] = ()
    differences: tuple[Difference, ...] = ()
    no_ops: tuple[RunId, ...] = ()
    """Answers that equal base on every input on which another answer differs from it."""
    not_repeated: tuple[tuple[RunId, str, str], ...] = ()
    """Proofs that could not be repeated outside the runner: author, test and reason."""
    inputs: int = 0
    """Number of varied inputs that were compared."""

    def complaint(self, run_id: RunId) -> str:
        """The answer's fault by the values that it computes; empty if there is none."""
        for one in self.only_inside:
            if one.run_id == run_id:
                return f"passes {one.test} only inside a test runner: {one.input} is {one.gives}"
        for found in self.differences:
            if found.given and run_id in {found.one, found.other} - {found.given}:
                said = found.gives(found.given)
                return f"says that {found.input} is {found.gives(run_id)}, the issue {said}"
        return ""

    def notes(self, run_id: RunId) -> tuple[str, ...]:
        """Other remarks on an answer's values; they decide nothing."""
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
    """Another contestant's test that was verified with an answer and is published with it."""

    run_id: RunId
    author: str
    """A handle."""
    test: str


class Examination(Value):
    """All results of running one answer's tests on the others."""

    crossings: tuple[Crossing, ...] = ()
    author_failed: tuple[tuple[RunId, str], ...] = ()
    """Tests that failed on their own author's patch when they ran there again at the end."""
    expectations: tuple[tuple[RunId, OpenExpectation], ...] = ()
    """Base tests that an answer breaks but passes in another answer's version."""
    values: RecordedValues = NOT_RECORDED
    joined: tuple[JoinedTest, ...] = ()


NOT_EXAMINED = Examination()


class Candidate(NamedTuple):
    """One run with its answer: the input of the rules."""

    run_id: RunId
    handle: str
    independence: str
    """Equal for contestants that are not independent: same model and strategy, or same author."""
    examined: Examined


def is_behaviour(failure: Failure | None, *, is_test: bool) -> bool:
    """Whether a failure shows the code's behaviour; `is_test`: the innermost frame is test code."""
    if failure is None:
        return False
    if failure.kind in {FailureKind.ASSERTION, FailureKind.TIMEOUT}:
        return True
    return failure.kind in {FailureKind.EXCEPTION, FailureKind.EXIT} and not is_test


def compares_message(failure: Failure | None) -> bool:
    """Whether an assertion about an exception fails only by the exception's message."""
    if failure is None or failure.kind is not FailureKind.ASSERTION:
        return False
    if _OTHER_WORDS.search(failure.message):
        return True
    lines = [line for line in _CHANGED_LINE.findall(failure.message) if not _is_legend(line)]
    return bool(lines) and all(map(_MESSAGE_LINE.match, lines))


def _is_legend(line: str) -> bool:
    return re.sub(r" *(?:[-+] *)?\d*$", "", line) in _NO_CHANGES


def is_of_base(failure: Failure | None) -> bool:
    """Whether base causes this exception, raised in a test that uses no new names."""
    if failure is None or failure.kind is not FailureKind.EXCEPTION or not failure.frames:
        return False
    return failure.type in _LIMITS | _LOOKUPS or _is_about_a_value(failure)


def _is_about_a_value(failure: Failure) -> bool:
    """Whether the exception is about a value of a built-in type, so that no new name is missing."""
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
