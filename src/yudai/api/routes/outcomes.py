"""Routes of outcomes of a solve's pull request."""

from typing import Annotated

from fastapi import APIRouter, Path

from yudai.api.dependencies import ServiceDep, SolveIdPath
from yudai.api.openapi import CONFLICT
from yudai.api.security.rights import MayPublishSolve, MayReadSolve
from yudai.publishing.confirm_revert import RevertConfirmation
from yudai.publishing.outcome_queries import MAX_ID
from yudai.publishing.views import ConfirmAsk, OutcomeList, outcomes_of

router = APIRouter(tags=["outcomes"])

OutcomeId = Annotated[int, Path(ge=1, le=MAX_ID)]


@router.get("/solves/{solve_id}/outcomes", operation_id="getOutcomes")
async def read(solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve) -> OutcomeList:
    """Get the pull request as last seen, with its outcomes."""
    return await outcomes_of(service.store, solve_id, user_id=permit.owner_id)


@router.post(
    "/solves/{solve_id}/outcomes/{outcome_id}/confirm",
    operation_id="confirmOutcome",
    responses=CONFLICT,
)
async def confirm(
    solve_id: SolveIdPath,
    outcome_id: OutcomeId,
    body: ConfirmAsk,
    service: ServiceDep,
    permit: MayPublishSolve,
) -> OutcomeList:
    """Confirm or reject a suspected revert, which has no effect before."""
    await outcomes_of(service.store, solve_id, user_id=permit.owner_id)
    await RevertConfirmation(service.store, service.clock).confirm(
        outcome_id, is_revert=body.is_revert, user_id=permit.user.id, solve_id=solve_id
    )
    return await outcomes_of(service.store, solve_id, user_id=permit.owner_id)
