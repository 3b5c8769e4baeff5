"""Routes of publishing: from a champion to a pull request, and what became of it."""

from typing import Annotated, Any

from fastapi import APIRouter, Path

from yudai.api.dependencies import Service, ServiceDep, SolveIdPath
from yudai.api.openapi import CONFLICT
from yudai.api.routes.solves import summary
from yudai.api.security.rights import MayPublishSolve, MayReadSolve
from yudai.publishing.confirm_revert import RevertConfirmation
from yudai.publishing.outcome_queries import MAX_ID
from yudai.publishing.requests import Publications
from yudai.publishing.views import ConfirmAsk, OutcomeList, PublicationView, outcomes_of

router = APIRouter(tags=["publishing"])
outcomes = APIRouter(tags=["outcomes"])

OutcomeId = Annotated[int, Path(ge=1, le=MAX_ID)]

ASKED: dict[int | str, dict[str, Any]] = {
    202: {"description": "The request is stored; a worker publishes."}
}


@router.post(
    "/solves/{solve_id}/publish",
    status_code=202,
    operation_id="publishSolve",
    responses=ASKED | CONFLICT,
)
async def publish(
    solve_id: SolveIdPath, service: ServiceDep, permit: MayPublishSolve
) -> PublicationView:
    """Open a draft pull request with the champion's patch; `publication` has its progress."""
    await summary(solve_id, service, permit.owner)
    return await _publications(service).request(solve_id, actor=permit.user.id)


@router.get("/solves/{solve_id}/publication", operation_id="getPublication")
async def read(solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve) -> PublicationView:
    """Get the publication; 404 when none was requested."""
    await summary(solve_id, service, permit.owner)
    return await _publications(service).view(solve_id)


def _publications(service: Service) -> Publications:
    return Publications(service.context.store, service.context.clock, service.settings.github_url)


@outcomes.get("/solves/{solve_id}/outcomes", operation_id="getOutcomes")
async def read_outcomes(
    solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve
) -> OutcomeList:
    """Get the pull request as last seen, with its outcomes."""
    return await outcomes_of(service.context.store, solve_id, user_id=permit.owner_id)


@outcomes.post(
    "/solves/{solve_id}/outcomes/{outcome_id}/confirm",
    operation_id="confirmOutcome",
    responses=CONFLICT,
)
async def confirm_outcome(
    solve_id: SolveIdPath,
    outcome_id: OutcomeId,
    body: ConfirmAsk,
    service: ServiceDep,
    permit: MayPublishSolve,
) -> OutcomeList:
    """Confirm or reject a suspected revert, which has no effect before."""
    await outcomes_of(service.context.store, solve_id, user_id=permit.owner_id)
    await RevertConfirmation(service.context.store, service.context.clock).confirm(
        outcome_id, is_revert=body.is_revert, user_id=permit.user.id, solve_id=solve_id
    )
    return await outcomes_of(service.context.store, solve_id, user_id=permit.owner_id)
