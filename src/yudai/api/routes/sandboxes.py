"""Routes of remote sandboxes, including those that dead processes left."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import ConfigDict, Field

from yudai.api.dependencies import ServiceDep
from yudai.api.security.rights import ADMINISTERING
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.kit.value import Value
from yudai.operations.overview import SandboxList, SandboxOverview
from yudai.sandboxes.reap import Swept
from yudai.store.holders import Liveness


async def _sandbox_overview(service: ServiceDep) -> SandboxOverview:
    return SandboxOverview(
        service.context.store, service.context.clock, Liveness(is_gone, is_there=is_there)
    )


SandboxOverviewDep = Annotated[SandboxOverview, Depends(_sandbox_overview)]

router = APIRouter(prefix="/sandboxes", tags=["installation"], dependencies=[ADMINISTERING])


class ReapAsk(Value):
    model_config = ConfigDict(json_schema_extra={"examples": [{"dry_run": True}]})

    dry_run: bool = Field(default=False, description="Only report what would be removed.")


@router.get("", operation_id="listSandboxes")
async def find(sandbox_overview: SandboxOverviewDep) -> SandboxList:
    """List open sandboxes at providers and in containers; local ones are not registered."""
    return await sandbox_overview.list()


@router.post("/reap", operation_id="reapSandboxes")
async def reap(body: ReapAsk, service: ServiceDep) -> Swept:
    """Remove leftovers of dead processes on every configured or used backend, and report them."""
    return await service.reaper.tend(dry_run=body.dry_run)
