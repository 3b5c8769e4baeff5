"""Routes before a solve: its forecast, recent repositories, and the demo."""

from fastapi import APIRouter, Response

from yudai.accounts.access import Right
from yudai.api.dependencies import IdempotencyHeader, ServiceDep, keyed
from yudai.api.routes.solves import ACCEPTED, accepted
from yudai.api.security.rights import AuthorizerDep, MayAdminister, MayRead
from yudai.arena.forecast import Forecast
from yudai.solves.domain.request import SolveAsk
from yudai.views.repositories import RepoList, recent_repositories
from yudai.views.solves import SolveSummary
from yudai.wiring.demo import open_demo

router = APIRouter(tags=["solves"])


@router.post("/forecasts", operation_id="forecastSolve")
async def forecast(
    body: SolveAsk, service: ServiceDep, user: MayRead, authorizer: AuthorizerDep
) -> Forecast:
    """Check and price the body of POST /api/solves without starting or storing anything.

    Only here every `issue_` field is optional: the words may still be on their way.
    """
    await authorizer.place(user, body, Right.READ)
    return await service.forecaster.forecast(body, user_id=user.id)


@router.get("/repos", operation_id="listRepos")
async def repos(service: ServiceDep, user: MayRead) -> RepoList:
    """List repositories of earlier solves, newest first."""
    return await recent_repositories(service.context.store, user_id=user.id)


@router.post("/demo", status_code=202, operation_id="startDemo", responses=ACCEPTED)
async def demo(
    service: ServiceDep, user: MayAdminister, response: Response, key: IdempotencyHeader = None
) -> SolveSummary:
    """Start the bundled demo: a sample repository and scripted contestants, without key or cost."""
    sent = keyed(key, "startDemo")
    opened = await open_demo(service.settings, service.submitter, user_id=user.id, key=sent)
    return await accepted(opened, service, user, response=response)
