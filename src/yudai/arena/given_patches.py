"""Contestants that are patches: each is read where it is, put onto the base and stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.port import ArtifactKind, ArtifactRef, Artifacts
from yudai.forge.domain.change import (
    BranchChange,
    Change,
    CommitChange,
    DiffText,
    PullChange,
    UnfitError,
)
from yudai.forge.domain.repository import RepoRef, parse_target
from yudai.forge.ports.folder import Forge, Snapshot
from yudai.forge.ports.remote import Credential, Credentials
from yudai.kit.causes import Cause
from yudai.kit.errors import NotFoundError, RefusedError, about
from yudai.kit.value import Value
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.runs.tables import RunRow
from yudai.solves.domain.asked_patch import AskedPatch


class GivenPatch(Value):
    """A contestant's patch, before its solve is opened."""

    ref: ArtifactRef | None = None
    """Where it is stored; None: it changes nothing, or it could not be put onto the base."""
    refusal: str = ""
    """Why it could not."""


class ChangeMirrors(Protocol):
    """The part of `Mirrors` that puts changes onto a snapshot."""

    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes: ...


class PatchBase(Value):
    """What patches are put onto."""

    snapshot: Snapshot
    repo_url: str = ""
    """"" for a folder."""
    user_id: str


@dataclass(frozen=True)
class PatchReader:
    artifacts: Artifacts
    forge: Forge
    """For folders of this machine."""
    mirrors: ChangeMirrors
    credentials: Credentials
    forge_url: str

    async def read(self, asked: Sequence[AskedPatch], base: PatchBase) -> tuple[GivenPatch, ...]:
        """In their order. RefusedError names the one that is not there."""
        found: list[GivenPatch] = []
        for number, one in enumerate(asked):
            with about(f"patches.{number}.{one.kind}"):
                try:
                    found.append(await self._read(change_of(one), base))
                except NotFoundError as error:
                    # What was asked is there; what it names is not.
                    raise RefusedError(*error.message) from error
        return tuple(found)

    async def _read(self, change: Change, base: PatchBase) -> GivenPatch:
        try:
            text = await self._put_onto_base(change, base)
        except UnfitError as error:
            return GivenPatch(refusal=str(error))
        return GivenPatch(ref=await self.keep(text) if text else None)

    async def keep(self, text: bytes) -> ArtifactRef:
        return await self.artifacts.put(ArtifactKind.PATCH, text)

    async def _put_onto_base(self, change: Change, base: PatchBase) -> bytes:
        if not base.repo_url:
            return await self.forge.change(base.snapshot, change)
        repo = parse_target(base.repo_url, forge=self.forge_url).repo
        by = await self.credentials.reading(repo, user_id=base.user_id)
        return await self.mirrors.change(repo, base.snapshot, change, by=by)


def change_of(asked: AskedPatch) -> Change:
    if asked.branch:
        return BranchChange(asked.branch)
    if asked.commit:
        return CommitChange(asked.commit)
    return DiffText(asked.content) if asked.pull is None else PullChange(asked.pull)


async def note_given(
    db: AsyncSession, rows: Sequence[RunRow], given: Sequence[GivenPatch], *, at: float
) -> None:
    """Give each of the solve's patch contestants its patch; one that does not fit has failed."""
    runs_of_patches = [row for row in rows if row.contestant.is_patch]
    for run, patch in zip(runs_of_patches, given, strict=True):
        if patch.ref is not None:
            await artifact_rows.add(db, run.solve_id, run.id, patch.ref, at=at)
        if patch.refusal:
            cause = Cause.PATCH_REFUSED
            await runs.advance(
                db,
                run.id,
                RunEvent.BROKE,
                at=at,
                data={"cause": cause},
                cause=cause,
                error=patch.refusal,
            )
