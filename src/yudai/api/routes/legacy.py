"""The two routes that the first clients know, at the root."""

from fastapi import APIRouter, Response

from yudai.api.dependencies import IdempotencyHeader, ServiceDep, SolveIdPath
from yudai.api.routes import solves
from yudai.api.security.rights import GateDep, MayReadSolve, MayRun
from yudai.solves.domain.request import SolveAsk
from yudai.views.solves import SolveSummary

router = APIRouter(prefix="/solve", tags=["solves"])


@router.post("", status_code=202, operation_id="solve", responses=solves.ACCEPTED)
async def create(
    body: SolveAsk,
    service: ServiceDep,
    user: MayRun,
    gate: GateDep,
    response: Response,
    key: IdempotencyHeader = None,
) -> SolveSummary:
    """The same as `POST /api/solves`."""
    await gate.begin(user, body)
    return await solves.submit(body, service, user, response=response, key=key)


@router.get("/{solve_id}/status", operation_id="getSolveStatus")
async def status(solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve) -> SolveSummary:
    """State, progress and champion."""
    return await solves.summary(solve_id, service, permit.owner)
