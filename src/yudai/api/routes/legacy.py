"""The two root routes of the first clients."""

from fastapi import APIRouter

from yudai.api.dependencies import ServiceDep, SolveIdPath
from yudai.api.routes import solves
from yudai.api.security.rights import MayReadSolve
from yudai.views.solves import SolveSummary

router = APIRouter(prefix="/solve", tags=["solves"])


router.post(
    "",
    status_code=202,
    operation_id="solve",
    responses=solves.ACCEPTED,
    description="The same as `POST /api/solves`.",
)(solves.create)


@router.get("/{solve_id}/status", operation_id="getSolveStatus")
async def status(solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve) -> SolveSummary:
    """State, progress and champion."""
    return await solves.summary(solve_id, service, permit.owner)
