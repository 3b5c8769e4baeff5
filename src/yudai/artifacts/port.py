"""Stored blobs: patch, plan, trajectory, test logs, the source of a solve."""

from collections.abc import AsyncIterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import StringConstraints

from yudai.kit.causes import Cause
from yudai.kit.errors import WorldError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value

Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
"""Checked where a ref is made, for it becomes part of a path."""


class ArtifactKind(StrEnum):
    PATCH = "patch"
    PLAN = "plan"
    TRAJECTORY = "trajectory"
    TEST_LOG = "test_log"
    REVALIDATION_LOG = "revalidation_log"
    """Of the champion, upon a base branch that had changed since."""
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


class ArtifactError(WorldError):
    """Artifacts cannot be kept or read now, or what is stored is damaged."""

    def __init__(self, message: str, *, cause: Cause = Cause.STORE_FAILED) -> None:
        super().__init__(cause, message)


class Artifacts(Protocol):
    """Named by their content: equal contents are stored once, and nothing is ever changed."""

    async def put(
        self, kind: ArtifactKind, content: bytes | AsyncIterator[bytes] | Path
    ) -> ArtifactRef:
        """A stream is never held whole; a file is one that nobody changes any more."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes: ...

    async def stream(self, ref: ArtifactRef) -> AsyncIterator[bytes]:
        """Small chunks. Damage is an error before the last one: nobody gets all of it."""
        ...

    async def save(self, ref: ArtifactRef, target: Path) -> None:
        """Write it to a file, which appears whole or not at all."""
        ...

    async def check(self) -> None:
        """ArtifactError when they cannot be read at all."""
        ...


class Trajectories(Protocol):
    async def keep(self, repo: str, content: bytes, *, solve_id: SolveId, run_id: RunId) -> None:
        """Also hand a finished trajectory to whoever collects them; never an error."""
        ...
