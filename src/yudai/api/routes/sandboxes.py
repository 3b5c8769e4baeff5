"""Routes of sandboxes that are elsewhere: which there are, and what is left of dead processes."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import ConfigDict, Field

from yudai.api.dependencies import ServiceDep
from yudai.api.security.rights import ADMINISTERING
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.kit.value import Value
from yudai.operations.overview import Overseer, SandboxList
from yudai.sandboxes.reap import Swept
from yudai.store.holders import Living


async def _overseer(service: ServiceDep) -> Overseer:
    return Overseer(service.store, service.clock, Living(is_gone, is_there=is_there))


OverseerDep = Annotated[Overseer, Depends(_overseer)]

router = APIRouter(prefix="/sandboxes", tags=["installation"], dependencies=[ADMINISTERING])


class ReapAsk(Value):
    model_config = ConfigDict(json_schema_extra={"examples": [{"dry_run": True}]})

    dry_run: bool = Field(default=False, description="Only tell what would be removed.")


@router.get("", operation_id="listSandboxes")
async def find(overseer: OverseerDep) -> SandboxList:
    """Those at providers and in containers that are not closed; local ones are not noted."""
    return await overseer.list()


@router.post("/reap", operation_id="reapSandboxes")
async def reap(body: ReapAsk, service: ServiceDep) -> Swept:
    """Remove what dead processes left, on every backend that is set up or was used, and tell it."""
    return await service.reaper.tend(dry_run=body.dry_run)
