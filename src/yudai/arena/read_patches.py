"""Patches of a request: each is read where it is, put onto the base and stored."""

from dataclasses import dataclass

from yudai.arena.fetch import Fetcher
from yudai.arena.given_patches import GivenPatch
from yudai.arena.open import SolveRequest
from yudai.arena.plan import Plan, pin
from yudai.artifacts.port import ArtifactKind, Artifacts
from yudai.forge.domain.change import (
    BranchChange,
    Change,
    CommitChange,
    DiffText,
    PullChange,
    UnfitError,
)
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.folder import Forge, Snapshot
from yudai.kit.errors import NotFoundError, RefusedError, about
from yudai.projects.find import Given
from yudai.solves.domain.asked_patch import AskedPatch
from yudai.solves.domain.request import SolveAsk

_NO_FORGE = "this server asks no forge: give repo_path"


@dataclass(frozen=True)
class PatchReader:
    artifacts: Artifacts
    forge: Forge
    """For folders of this machine."""
    fetcher: Fetcher | None = None
    """None: no forge is asked."""

    async def pinned(self, ask: SolveAsk, request: SolveRequest, given: Given) -> SolveRequest:
        """The request with its base and its patches: a forge's code is fetched now."""
        if request.base is not None:
            plan = Plan(request, request.snapshot, request.base)
        elif self.fetcher is not None:
            plan = await pin(self.fetcher, request, given)
        else:
            raise RefusedError(_NO_FORGE, field="repo_url")
        return await self.read(ask, plan)

    async def read(self, ask: SolveAsk, plan: Plan) -> SolveRequest:
        """The plan's request with its patches. RefusedError names the one that is not there."""
        found: list[GivenPatch] = []
        for number, one in enumerate(ask.patches):
            with about(f"patches.{number}.{one.kind}"):
                try:
                    found.append(await self._read(one, plan))
                except NotFoundError as error:
                    # The solve exists, so this is no 404: the patch names something that does not.
                    raise RefusedError(*error.message) from error
        return plan.request.model_copy(update={"patches": tuple(found)})

    async def _read(self, asked: AskedPatch, plan: Plan) -> GivenPatch:
        if plan.snapshot is None:
            raise RefusedError("patches need a base whose files were read for this request")
        try:
            text = await self._put_onto(plan.snapshot, _change_of(asked), plan.request)
        except UnfitError as error:
            return GivenPatch(refusal=str(error))
        ref = await self.artifacts.put(ArtifactKind.PATCH, text) if text else None
        return GivenPatch(ref=ref)

    async def _put_onto(self, base: Snapshot, change: Change, request: SolveRequest) -> bytes:
        if not request.repo_url:
            return await self.forge.change(base, change)
        if self.fetcher is None:
            raise RefusedError(_NO_FORGE, field="repo_url")
        repo = parse_target(request.repo_url, forge=self.fetcher.forge_url).repo
        by = await self.fetcher.credentials.reading(repo, user_id=request.user_id)
        return await self.fetcher.mirrors.change(repo, base, change, by=by)


def _change_of(asked: AskedPatch) -> Change:
    if asked.branch:
        return BranchChange(asked.branch)
    if asked.commit:
        return CommitChange(asked.commit)
    return DiffText(asked.content) if asked.pull is None else PullChange(asked.pull)
