"""The plan of a solve that this process will run: fetched, prepared and measured beforehand."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from yudai.arena.fetch import SnapshotMirrors
from yudai.arena.open import SolveRequest
from yudai.arena.prepare import Preparer
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import Credentials
from yudai.projects.find import Given, base_of, find_project
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec
from yudai.verification.baseline import Measured

_OWNER = "plan"


class Plan(NamedTuple):
    """A request whose repository is here, whether it is a folder or was fetched."""

    request: SolveRequest
    snapshot: Snapshot
    base: BaseSpec


@dataclass(frozen=True)
class Planner:
    backend: Backend
    preparer: Preparer
    mirrors: SnapshotMirrors
    credentials: Credentials
    forge_url: str
    own_env: Path | None

    async def plan(self, request: SolveRequest, given: Given) -> Plan:
        """Of a forge's repository the branch as it is now, pinned: the forge may move on."""
        if request.snapshot is not None and request.base is not None:
            return Plan(request, request.snapshot, request.base)
        repo = parse_target(request.repo_url, forge=self.forge_url).repo
        by = await self.credentials.reading(repo, user_id=request.user_id)
        snapshot = await self.mirrors.fetch(repo, request.base_branch, by=by)
        project = await find_project(self.mirrors, snapshot, given)
        base = base_of(snapshot, project, None if project.setup else self.own_env)
        found = {
            "base": base,
            "base_branch": snapshot.branch,
            "base_commit": snapshot.commit,
            "project": project,
        }
        return Plan(request.model_copy(update=found), snapshot, base)

    async def prepare(self, plan: Plan) -> BaseRef:
        """Unpack and set up; the flow finds it ready."""
        return await self.backend.prepare(plan.base)

    async def measure(self, plan: Plan) -> Measured:
        base = await self.prepare(plan)
        return await self.preparer.measure(base, plan.request.project, owner=_OWNER)
