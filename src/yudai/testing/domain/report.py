"""What one execution of a repository's tests showed, test by test."""

from enum import StrEnum

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
