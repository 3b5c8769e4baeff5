"""Stored blobs: patch, plan, trajectory, test logs, the source of a solve."""

from collections.abc import AsyncIterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import StringConstraints

from yudai.kit.causes import Cause
from yudai.kit.errors import InfrastructureError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value

Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
"""A digest, validated because it becomes part of a path."""


class ArtifactKind(StrEnum):
    PATCH = "patch"
    JOINED_PATCH = "joined_patch"
    """The patch with a test of another contestant that proves it: what is published."""
    PLAN = "plan"
    TRAJECTORY = "trajectory"
    TEST_LOG = "test_log"
    REVALIDATION_LOG = "revalidation_log"
    """Test log of the champion on a base branch that has changed since."""
    BASELINE_LOG = "baseline_log"
    SETUP_LOG = "setup_log"
    SOURCE = "source"

    @property
    def readable(self) -> str:
        return self.replace("_", " ")


class ArtifactRef(Value):
    kind: ArtifactKind
    sha256: Digest
    size: int

    @property
    def key(self) -> str:
        return f"{self.sha256[:2]}/{self.sha256}"


class ArtifactError(InfrastructureError):
    """Artifacts cannot be stored or read now, or a stored one is damaged."""

    def __init__(self, message: str, *, cause: Cause = Cause.STORE_FAILED) -> None:
        super().__init__(cause, message)


class Artifacts(Protocol):
    """Content-addressed storage: equal contents are stored once and never change."""

    async def put(
        self, kind: ArtifactKind, content: bytes | AsyncIterator[bytes] | Path
    ) -> ArtifactRef:
        """Store content. A stream is never held in memory; a file must not change any more."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes: ...

    async def stream(self, ref: ArtifactRef) -> AsyncIterator[bytes]:
        """Stream in small chunks. A damaged artifact raises before its last chunk."""
        ...

    async def save(self, ref: ArtifactRef, target: Path) -> None:
        """Write it to a file, atomically."""
        ...

    async def check(self) -> None:
        """ArtifactError when the store cannot be read."""
        ...


class Trajectories(Protocol):
    async def keep(self, repo: str, content: bytes, *, solve_id: SolveId, run_id: RunId) -> None:
        """Copy a finished trajectory for external tools. Never raises."""
        ...
