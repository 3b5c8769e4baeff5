"""Stored blobs: patch, plan, trajectory, test logs."""

from enum import StrEnum
from typing import Protocol

from yudai.domain.value import Value


class ArtifactKind(StrEnum):
    PATCH = "patch"
    PLAN = "plan"
    TRAJECTORY = "trajectory"
    TEST_LOG = "test_log"
    BASELINE_LOG = "baseline_log"


class ArtifactRef(Value):
    kind: ArtifactKind
    sha256: str
    size: int


class Artifacts(Protocol):
    async def put(self, kind: ArtifactKind, content: bytes) -> ArtifactRef: ...

    async def get(self, ref: ArtifactRef) -> bytes: ...
