"""Routes for the time before a solve: what it would be, where, and a demonstration."""

from fastapi import APIRouter, Response

from yudai.accounts.access import Right
from yudai.api.dependencies import IdempotencyHeader, ServiceDep, keyed
from yudai.api.routes.solves import ACCEPTED, accepted
from yudai.api.security.rights import GateDep, MayAdminister, MayRead
from yudai.arena.forecast import Forecast
from yudai.solves.domain.request import SolveAsk
from yudai.views.recent_repositories import RepoList, recent_repositories
from yudai.views.solves import SolveSummary
from yudai.wiring.demo import open_demo

router = APIRouter(tags=["solves"])


@router.post("/forecasts", operation_id="forecastSolve")
async def forecast(body: SolveAsk, service: ServiceDep, user: MayRead, gate: GateDep) -> Forecast:
    """The same body as POST /api/solves: checked, counted and priced; nothing is begun or kept.

    Only here every `issue_` field is optional: the words may still be on their way.
    """
    await gate.place(user, body, Right.READ)
    return await service.forecaster.forecast(body, user_id=user.id)


@router.get("/repos", operation_id="listRepos")
async def repos(service: ServiceDep, user: MayRead) -> RepoList:
    """Where solves were before, newest first."""
    return await recent_repositories(service.store, user_id=user.id)


@router.post("/demo", status_code=202, operation_id="startDemo", responses=ACCEPTED)
async def demo(
    service: ServiceDep, user: MayAdminister, response: Response, key: IdempotencyHeader = None
) -> SolveSummary:
    """The bundled arena: a sample repository, scripted contestants, no key and no cost."""
    sent = keyed(key, "startDemo")
    opened = await open_demo(service.settings, service.submitter, user_id=user.id, key=sent)
    return await accepted(opened, service, user, response=response)
