"""The results of one execution of a repository's tests, test by test."""

from enum import StrEnum

from pydantic import Field

from yudai.kit.text import line
from yudai.kit.value import Value
from yudai.testing.domain.runners import TestRunner

_MAX_LINE = 300


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
    """Why a test did not pass, as far as the tested process knows it."""

    ASSERTION = "assertion"
    EXCEPTION = "exception"
    IMPORT = "import"
    """The test's file could not be loaded."""
    SET_UP = "set_up"
    """A fixture, a set-up or a tear-down failed, not the test itself."""
    TIMEOUT = "timeout"
    """The test began and did not end in time."""
    EXIT = "exit"
    """The test ended the process."""
    UNKNOWN = "unknown"


class Frame(Value):
    """A line of the repository in a traceback."""

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
    """Frames of the repository only, the innermost last."""

    @property
    def line(self) -> str:
        """The failure in one line, for a person."""
        said = (
            self.message if self.message.startswith(self.type) else f"{self.type}: {self.message}"
        )
        return line(said.strip(": \n"), width=_MAX_LINE)


NOT_SAID = Failure(kind=FailureKind.UNKNOWN)
"""The failure of a red test whose report gives no reason."""


class TestPlan(Value):
    """How a repository's tests are run."""

    __test__ = False

    runner: TestRunner
    python: str
    """The interpreter's name: `python`, or `node` for Node's runners."""
    args: tuple[str, ...] = ()
    """unittest: file pattern and start folders; plain command: the command; else arguments."""
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables that the test command sets."""
    before: str = ""
    """A command, such as a build, that has to succeed before the runner starts."""
    command: str
    """The command as a person would type it, from the workspace."""
    folder: str = ""
    """The folder in the workspace where it runs; test ids stay relative to the workspace."""
    names: tuple[str, ...] = ()
    """pytest: patterns for test files from the repository's own settings."""

    @property
    def own_id(self) -> str:
        """A plain command is one test; its id with a patch's own test files is this one."""
        return f"{self.args[0]} (with the patch's tests)"


class TestReport(Value):
    """Outcomes by test id; `finished` is false if the runner died or ran out of time."""

    __test__ = False

    outcomes: dict[str, Outcome]
    exit_code: int
    finished: bool
    collection_errors: tuple[str, ...] = ()
    """Files that could not be collected; they may contain tests."""
    duration_s: float = 0.0
    timed_out: bool = False
    failures: dict[str, Failure] = Field(default_factory=dict)
    """By red test, and by file that could not be collected."""
    durations: dict[str, float] = Field(default_factory=dict)
    """Seconds by test, if the reporter measures them."""

    @property
    def executed(self) -> frozenset[str]:
        """Tests that really ran, skipped ones excluded."""
        return frozenset(t for t, o in self.outcomes.items() if o in GREEN | RED)

    def is_red(self, test: str) -> bool:
        """Whether the test failed, or is in a file that could not be collected."""
        return self.outcomes.get(test) in RED or self.hides(test)

    def hides(self, test: str) -> bool:
        return self._hiding(test) is not None

    def failure_of(self, test: str) -> Failure | None:
        """How the test failed, or why its file could not be loaded; None if it did not fail."""
        if self.outcomes.get(test) in RED:
            return self.failures.get(test, NOT_SAID)
        file = self._hiding(test)
        return None if file is None else self.failures.get(file, NOT_SAID)

    def _hiding(self, test: str) -> str | None:
        files = self.collection_errors
        return next((e for e in files if test.startswith((f"{e}::", f"{e}/", f"{e}."))), None)


NO_REPORT = TestReport(outcomes={}, exit_code=0, finished=False)


class Baseline(Value):
    """The base commit's tests, executed twice before the solve spends anything."""

    first: TestReport
    second: TestReport
    command: str
    """The test command as a person would type it; "" if no tests were found."""

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

    @property
    def unloaded(self) -> tuple[str, ...]:
        """Files that could not be loaded in both executions, so that their tests are not known."""
        both = set(self.first.collection_errors) & set(self.second.collection_errors)
        return tuple(sorted(both))

    @property
    def is_partial(self) -> bool:
        """Whether the suite never finishes, but some of its tests run."""
        return not self._came_to_its_end and self._ran_some

    @property
    def is_verifiable(self) -> bool:
        """Whether a patch can be verified: by tests that run, or by tests that it adds."""
        return self._ran_some or (self._came_to_its_end and not self._failed_to_load)

    @property
    def _ran_some(self) -> bool:
        return bool(self.first.executed or self.second.executed)

    @property
    def _came_to_its_end(self) -> bool:
        return self.first.finished or self.second.finished

    @property
    def _failed_to_load(self) -> bool:
        return bool(self.first.collection_errors or self.second.collection_errors)

    def _steady(self, outcomes: frozenset[Outcome]) -> frozenset[str]:
        flaky = self.flaky
        return frozenset(
            t for t, o in self.first.outcomes.items() if o in outcomes and t not in flaky
        )
