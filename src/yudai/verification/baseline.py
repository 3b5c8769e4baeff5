"""The baseline: a prepared base, its test plan and the results of its tests before any patch."""

from yudai.artifacts.port import ArtifactRef
from yudai.kit.value import Value
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import BaseRef
from yudai.testing.domain.report import Baseline, TestPlan


class Measured(Value):
    """What the base's own tests say about it, executed twice."""

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
