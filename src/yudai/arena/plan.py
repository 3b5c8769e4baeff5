"""The plan of a solve that this process will run: fetched, prepared and measured beforehand."""

from dataclasses import dataclass
from typing import NamedTuple

from yudai.arena.fetch import Branch, Fetcher
from yudai.arena.open import SolveRequest
from yudai.arena.prepare import Preparer
from yudai.forge.ports.folder import Snapshot
from yudai.projects.find import Given
from yudai.sandboxes.port import BaseRef, BaseSpec
from yudai.verification.case import Measured

_OWNER = "plan"


class Plan(NamedTuple):
    """A request whose repository is on this machine: a folder, or fetched."""

    request: SolveRequest
    snapshot: Snapshot | None
    """None: it was fetched for an earlier solve."""
    base: BaseSpec


async def pin(fetcher: Fetcher, request: SolveRequest, given: Given) -> Plan:
    """Of a forge's repository the branch as it is now, pinned: the forge may move on."""
    if request.base is not None:
        return Plan(request, request.snapshot, request.base)
    branch = Branch(request.repo_url, request.base_branch, request.user_id)
    snapshot, project, base = await fetcher.look(branch, given)
    found = {
        "base": base,
        "base_branch": snapshot.branch,
        "base_commit": snapshot.commit,
        "project": project,
    }
    return Plan(request.model_copy(update=found), snapshot, base)


@dataclass(frozen=True)
class Planner:
    preparer: Preparer
    fetcher: Fetcher

    async def plan(self, request: SolveRequest, given: Given) -> Plan:
        """The current commit of a forge's branch, pinned because the branch may change."""
        return await pin(self.fetcher, request, given)

    async def prepare(self, plan: Plan) -> BaseRef:
        """Unpack and set up; the flow finds it ready."""
        return await self.preparer.backend.prepare(plan.base)

    async def measure(self, plan: Plan) -> Measured:
        base = await self.prepare(plan)
        return await self.preparer.measure(base, plan.request.project, owner=_OWNER)
