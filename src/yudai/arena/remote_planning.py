"""What a solve at a forge would be, known before anything is spent: its code is fetched first."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.fetch import Fetching
from yudai.arena.open import SolveRequest
from yudai.arena.plan import Draft, FolderRequest
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.credentials import Credentials
from yudai.kit.clock import Clock
from yudai.kit.ids import SolveId
from yudai.projects.find import base_of, find_project
from yudai.solves import timeline as events
from yudai.solves.domain.matrix import Lineup
from yudai.solves.timeline import FETCHED
from yudai.verification.baseline import Measured


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
