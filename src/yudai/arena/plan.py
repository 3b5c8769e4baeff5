"""What a solve of a folder would be, known before anything is spent."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.fetch import Fetching
from yudai.arena.open import SolveRequest
from yudai.arena.prepare import Preparer
from yudai.forge.domain.issue import Issue
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.folder import Forge, Snapshot
from yudai.forge.ports.remote import Credentials
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import Model, Price, free_names
from yudai.gateway.port import Gateway
from yudai.kit.clock import Clock
from yudai.kit.errors import about
from yudai.kit.ids import SolveId
from yudai.kit.value import Value
from yudai.projects.domain.project import Project
from yudai.projects.find import Given, base_of, find_project
from yudai.ranking.domain.reducer import check_reducer
from yudai.sandboxes.port import Backend, BaseSpec
from yudai.solves import timeline as events
from yudai.solves.domain.budget import Budget, admit
from yudai.solves.domain.matrix import Lineup, Matrix, check_size, expand
from yudai.solves.timeline import FETCHED
from yudai.verification.baseline import Measured

_OWNER = "plan"


class FolderRequest(Value):
    """What a person asks for, in their own words."""

    target: str
    issue: Issue
    matrix: Matrix
    budget: Budget
    base: str = ""
    dirty: bool = False
    given: Given = Given()
    env: Path | None = None
    prices: Mapping[str, Price] = {}
    branch: str = ""
    """Where the champion's patch shall go, if anywhere."""
    reducer: str = "simple"
    require_proof: bool = True


class Draft(Value):
    """Everything that can be refused before the base is prepared has been checked."""

    asked: FolderRequest
    snapshot: Snapshot
    project: Project
    base: BaseSpec
    models: tuple[Model, ...]
    lineup: Lineup


@dataclass(frozen=True)
class Drafter:
    """Needs no sandbox."""

    forge: Forge
    gateway: Gateway
    catalogue: Catalogue
    own_env: Path | None
    """Our own Python environment: it has pytest, for repositories that need nothing else."""

    async def draft(self, asked: FolderRequest) -> Draft:
        """Look at the folder and at the request; RefusedError for all that is wrong with them."""
        check_size(asked.matrix)
        check_reducer(asked.reducer)
        with about("matrix.models"):
            models = await self.catalogue.resolve(asked.matrix.models, prices=asked.prices)
            for model in models:
                self.gateway.check(model)
        named = asked.matrix.model_copy(update={"models": tuple(m.name for m in models)})
        asked = asked.model_copy(update={"matrix": named})
        lineup = expand(named, limit=asked.budget.max_contestants)
        admit(lineup, asked.budget, free_models=free_names(models))
        snapshot = await self.forge.snapshot(asked.target, base=asked.base, dirty=asked.dirty)
        if asked.branch:
            await self.forge.check_branch(snapshot, asked.branch)
        project = await find_project(self.forge, snapshot, asked.given)
        return Draft(
            asked=asked,
            snapshot=snapshot,
            project=project,
            base=base_of(snapshot, project, asked.env or (None if project.setup else self.own_env)),
            models=models,
            lineup=lineup,
        )


@dataclass(frozen=True)
class Planner:
    """The whole plan before anything is spent, with what the base's own tests say."""

    drafter: Drafter
    backend: Backend
    preparer: Preparer

    async def draft(self, asked: FolderRequest) -> Draft:
        return await self.drafter.draft(asked)

    async def prepare(self, draft: Draft) -> None:
        """Unpack and set up; the flow finds it ready."""
        await self.backend.prepare(draft.base)

    async def measure(self, draft: Draft) -> Measured:
        base = await self.backend.prepare(draft.base)
        return await self.preparer.measure(base, draft.project, owner=_OWNER)


def to_request(draft: Draft, measured: Measured | None, *, sandbox_backend: str) -> SolveRequest:
    asked, snapshot = draft.asked, draft.snapshot
    return SolveRequest(
        repo=snapshot.repo,
        issue=asked.issue,
        base=draft.base,
        matrix=asked.matrix,
        budget=asked.budget,
        base_branch=snapshot.branch,
        base_commit=snapshot.commit,
        reducer=asked.reducer,
        require_proof=asked.require_proof,
        sandbox_backend=sandbox_backend,
        models=draft.models,
        snapshot=snapshot,
        project=draft.project,
        measured=measured,
    )


@dataclass(frozen=True)
class RemotePlanner:
    mirrors: Fetching
    credentials: Credentials
    clock: Clock
    forge_url: str
    own_env: Path | None
    """Our own Python environment: it has pytest, for repositories that need nothing else."""

    async def draft(self, asked: FolderRequest, request: SolveRequest, lineup: Lineup) -> Draft:
        """The branch as it is now, and how it is made ready and tested."""
        repo = parse_target(request.repo_url, forge=self.forge_url).repo
        by = await self.credentials.reading(repo, user_id=request.user_id)
        snapshot = await self.mirrors.fetch(repo, request.base_branch, by=by)
        project = await find_project(self.mirrors, snapshot, asked.given)
        said = {"issue": request.issue, "matrix": request.matrix, "budget": request.budget}
        return Draft(
            asked=asked.model_copy(update=said),
            snapshot=snapshot,
            project=project,
            base=base_of(snapshot, project, None if project.setup else self.own_env),
            models=request.models,
            lineup=lineup,
        )

    async def note(self, db: AsyncSession, solve_id: SolveId, draft: Draft) -> None:
        """On the timeline, as when a worker fetches it."""
        told: dict[str, object] = {
            "commit": draft.snapshot.commit,
            "branch": draft.snapshot.branch,
        }
        await events.append(db, solve_id, kind=FETCHED, at=self.clock.now(), data=told)


def pinned(request: SolveRequest, draft: Draft, measured: Measured) -> SolveRequest:
    """The request with the commit that was looked at; the forge may move on."""
    return request.model_copy(
        update={
            "base": draft.base,
            "base_branch": draft.snapshot.branch,
            "base_commit": draft.snapshot.commit,
            "project": draft.project,
            "measured": measured,
        }
    )
