"""Routes of publishing: from a champion to a pull request."""

from typing import Any

from fastapi import APIRouter

from yudai.api.dependencies import Service, ServiceDep, SolveIdPath
from yudai.api.openapi import CONFLICT
from yudai.api.routes.solves import summary
from yudai.api.security.rights import MayPublishSolve, MayReadSolve
from yudai.publishing.requests import Publications
from yudai.publishing.views import PublicationView

router = APIRouter(tags=["publishing"])

ASKED: dict[int | str, dict[str, Any]] = {
    202: {"description": "It is written down; a worker carries it out."}
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
    return Publications(service.store, service.clock, service.settings.github_url)
