"""A prepared base with its baseline: the inputs that all patches of a solve share."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from yudai.artifacts.port import ArtifactRef
from yudai.kit.value import Value
from yudai.patches.patch import Patch
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import BaseRef
from yudai.testing.domain.report import Baseline, Failure, TestPlan
from yudai.verification.domain.facts import compares_message, is_behaviour
from yudai.verification.domain.rules import RULES, Rules
from yudai.verification.executions import Executions
from yudai.verification.test_files import TestFiles

Texts = Mapping[str, str | None]
"""By path; None if there is no such file."""
_NO_TEXTS: Texts = MappingProxyType({})

# A hanging patch need not use the whole time limit.
_PATIENCE_S = 60.0
_PATIENCE = 10


class Measured(Value):
    """The results of base's own tests, which run twice."""

    plan: TestPlan | None
    baseline: Baseline
    log: ArtifactRef


class Prepared(Value):
    base: BaseRef
    plan: TestPlan | None
    baseline: Baseline
    project: Project

    @property
    def test_command(self) -> str:
        return self.baseline.command

    @property
    def test_timeout_s(self) -> float:
        return self.project.test_timeout_s

    @property
    def test_files(self) -> TestFiles:
        return TestFiles.of(self.plan, self.baseline.known)


class VerificationCase(NamedTuple):
    executions: Executions
    plan: TestPlan
    baseline: Baseline
    timeout_s: float
    issue: str = ""
    rules: Rules = RULES
    files: TestFiles = TestFiles()

    @classmethod
    def of(
        cls, executions: Executions, prepared: Prepared, issue: str, rules: Rules
    ) -> "VerificationCase":
        timeout_s = prepared.project.test_timeout_s
        plan, files = executions.plan, prepared.test_files
        return cls(executions, plan, prepared.baseline, timeout_s, issue, rules, files)

    @property
    def usual_s(self) -> float:
        return max(self.baseline.first.duration_s, self.baseline.second.duration_s)

    def enough(self, usual_s: float) -> float:
        return min(self.timeout_s, _PATIENCE_S + _PATIENCE * usual_s)

    def is_behaviour(self, failure: Failure | None, tests: Patch) -> bool:
        """Whether a failure shows the code's behaviour. The patch's test files are test code."""
        if failure is None or not failure.frames:
            return is_behaviour(failure, is_test=True)
        return is_behaviour(failure, is_test=self._is_in_test(failure, tests))

    def is_wording(self, failure: Failure | None, tests: Patch) -> bool:
        """Whether an exception differs only in its message.

        Product code can imitate the runner's message; it can only harm its own patch by that.
        """
        if failure is None or not failure.frames:
            return False
        return compares_message(failure) and self._is_in_test(failure, tests)

    def _is_in_test(self, failure: Failure, tests: Patch) -> bool:
        inner = failure.frames[-1].path
        return self.files.holds_path(inner) or inner in tests.paths


class Parts(NamedTuple):
    """A patch in two parts: the source changes to verify, and the tests that it added."""

    source: Patch
    tests: Patch


class Readings(NamedTuple):
    """Texts of the patch's files, read where the patch was applied but nothing was executed."""

    sources_before: Texts = _NO_TEXTS
    sources_after: Texts = _NO_TEXTS
    tests_before: Texts = _NO_TEXTS
    tests_after: Texts = _NO_TEXTS
