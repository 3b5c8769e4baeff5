"""What one execution of a repository's tests showed, test by test."""

import hmac
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError

from yudai.kit.value import Value
from yudai.testing.domain.runners import TestRunner


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


GREEN = frozenset({Outcome.PASSED, Outcome.XFAILED, Outcome.XPASSED})
RED = frozenset({Outcome.FAILED, Outcome.ERROR})


class FailureKind(StrEnum):
    """Why a test did not pass, as far as the tested process can say."""

    ASSERTION = "assertion"
    EXCEPTION = "exception"
    IMPORT = "import"
    """Its file could not be loaded."""
    SET_UP = "set_up"
    """A fixture, a set-up or a tear-down, not the test itself."""
    TIMEOUT = "timeout"
    """It began and never ended."""
    EXIT = "exit"
    """It ended the process."""
    UNKNOWN = "unknown"


class Frame(Value):
    """A line of the repository that was being executed."""

    path: str
    """Relative to the workspace."""
    line: int
    function: str = ""


class Failure(Value):
    """How a test failed, or why a file could not be loaded."""

    kind: FailureKind
    type: str = ""
    """The exception's class, such as `AssertionError`."""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    """Of the repository only, the innermost last."""


class TestPlan(Value):
    """How a repository's tests are run."""

    __test__ = False

    runner: TestRunner
    python: str
    """The interpreter's name: `python`, or `node` for Node's runners."""
    args: tuple[str, ...] = ()
    """unittest: discovery's file pattern and where it starts; a command: itself; else arguments."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables that the test command sets for itself."""
    before: str = ""
    """What has to succeed before the runner can start: a build."""
    command: str
    """As a person would type it, from the workspace."""
    folder: str = ""
    """Where in the workspace it is run; test ids stay relative to the workspace."""

    @property
    def own_id(self) -> str:
        """A command is one test; together with a patch's own test files it is another one."""
        return f"{self.args[0]} (with the patch's tests)"


class TestReport(Value):
    """Outcomes by test id; `finished` is false when the runner died or ran out of time."""

    __test__ = False

    outcomes: dict[str, Outcome]
    exit_code: int
    finished: bool
    collection_errors: tuple[str, ...] = ()
    """Files that could not be collected: tests may be hidden in them."""
    duration_s: float = 0.0
    timed_out: bool = False
    failures: dict[str, Failure] = Field(default_factory=dict)
    """By test that is red, and by file that could not be collected."""
    durations: dict[str, float] = Field(default_factory=dict)
    """Seconds by test, where the reporter says so."""

    @property
    def executed(self) -> frozenset[str]:
        """Tests that really ran, skipped ones excluded."""
        return frozenset(t for t, o in self.outcomes.items() if o in GREEN | RED)

    def is_red(self, test: str) -> bool:
        """Whether it failed, or stands in a file that could not even be collected."""
        return self.outcomes.get(test) in RED or self.hides(test)

    def hides(self, test: str) -> bool:
        return any(test.startswith((f"{e}::", f"{e}/", f"{e}.")) for e in self.collection_errors)


NO_REPORT = TestReport(outcomes={}, exit_code=0, finished=False)


class Baseline(Value):
    """The base commit's tests, executed twice before anything is spent."""

    first: TestReport
    second: TestReport
    command: str
    """How the tests were run, as a person would type it; "" when no tests were found."""

    @property
    def flaky(self) -> frozenset[str]:
        one, two = self.first.outcomes, self.second.outcomes
        return frozenset(test for test in one.keys() | two.keys() if one.get(test) != two.get(test))

    @property
    def passing(self) -> frozenset[str]:
        return self._steady(GREEN)

    @property
    def failing(self) -> frozenset[str]:
        return self._steady(RED)

    @property
    def executed(self) -> frozenset[str]:
        """Tests that really ran, skipped ones excluded."""
        return self.passing | self.failing

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self.first.outcomes.keys() | self.second.outcomes.keys())

    def _steady(self, outcomes: frozenset[Outcome]) -> frozenset[str]:
        flaky = self.flaky
        return frozenset(
            t for t, o in self.first.outcomes.items() if o in outcomes and t not in flaky
        )


class Line(Value):
    """One thing that happened, appended as it did."""

    event: Literal["started", "result", "trouble", "uncollected", "finished"]
    id: str = ""
    outcome: Outcome = Outcome.ERROR
    collected: int = 0
    """With `finished`: how many tests there were to run."""
    seal: str = ""
    """With `finished`: made with a key that only the reporter had, over all lines before."""


class Ending(NamedTuple):
    """How the process that ran the tests ended."""

    exit_code: int
    duration_s: float = 0.0
    timed_out: bool = False


def read_report(content: bytes, ending: Ending, *, key: bytes, prefix: str = "") -> TestReport:
    """Only a sealed report in which every test has its result counts as finished.

    `prefix` is put before every id: where in the workspace the tests were run.
    """
    lines = _lines(content, prefix)
    return TestReport(
        outcomes=_outcomes(lines),
        exit_code=ending.exit_code,
        finished=not ending.timed_out and _is_sealed(content, key) and _is_complete(lines),
        collection_errors=tuple(sorted({line.id for line in lines if line.event == "uncollected"})),
        duration_s=ending.duration_s,
        timed_out=ending.timed_out,
    )


def seal(content: bytes, key: bytes) -> str:
    return hmac.new(key, content, "sha256").hexdigest()


def _is_sealed(content: bytes, key: bytes) -> bool:
    """Whether the last line seals all others: code under test may have written some of them."""
    before, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    try:
        line = Line.model_validate_json(last)
    except ValidationError:
        return False
    covered = before + b"\n" if before else b""
    return line.event == "finished" and hmac.compare_digest(
        line.seal.encode(), seal(covered, key).encode()
    )


def _is_complete(lines: Sequence[Line]) -> bool:
    results = sum(line.event == "result" for line in lines)
    return lines[-1].collected == results


def _outcomes(lines: Sequence[Line]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    for line in lines:
        if line.event in {"result", "trouble"} and outcomes.get(line.id) not in RED:
            outcomes[line.id] = line.outcome
    for line in lines:
        if line.event == "started":
            # Begun and never ended: this is the test that hung or took the interpreter down.
            outcomes.setdefault(line.id, Outcome.ERROR)
    return outcomes


def _lines(content: bytes, prefix: str) -> list[Line]:
    lines: list[Line] = []
    for line in content.split(b"\n"):
        try:
            read = Line.model_validate_json(line)
        except ValidationError:
            continue
        lines.append(read.model_copy(update={"id": prefix + read.id}) if prefix else read)
    return lines
