"""What one execution of a repository's tests showed, test by test."""

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

    @property
    def line(self) -> str:
        """What a person needs to see of it."""
        said = (
            self.message if self.message.startswith(self.type) else f"{self.type}: {self.message}"
        )
        return line(said.strip(": \n"), width=_MAX_LINE)


NOT_SAID = Failure(kind=FailureKind.UNKNOWN)
"""Of a test that is red in a report that does not tell why."""


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
    names: tuple[str, ...] = ()
    """pytest: what the repository's own settings call its test files, as patterns."""

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
        return self._hiding(test) is not None

    def failure_of(self, test: str) -> Failure | None:
        """How it failed, or why the file that hides it could not be loaded; None: it did not."""
        if self.outcomes.get(test) in RED:
            return self.failures.get(test, NOT_SAID)
        file = self._hiding(test)
        return None if file is None else self.failures.get(file, NOT_SAID)

    def _hiding(self, test: str) -> str | None:
        files = self.collection_errors
        return next((e for e in files if test.startswith((f"{e}::", f"{e}/", f"{e}."))), None)


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

    @property
    def unloaded(self) -> tuple[str, ...]:
        """Files that could not be loaded, both times: what is in them is not known."""
        both = set(self.first.collection_errors) & set(self.second.collection_errors)
        return tuple(sorted(both))

    @property
    def is_partial(self) -> bool:
        """The suite never comes to its end, but some of it ran before."""
        return not self._came_to_its_end and self._ran_some

    @property
    def is_verifiable(self) -> bool:
        """Whether a patch could show anything: by tests that run, or by those it would bring."""
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
