"""Routes of remote sandboxes, also those that dead processes left, and of prepared bases."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import ConfigDict, Field

from yudai.api.dependencies import ServiceDep
from yudai.api.openapi import CONFLICT
from yudai.api.security.rights import ADMINISTERING
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.kit.errors import NotFoundError
from yudai.kit.value import Value
from yudai.operations.overview import SandboxList, SandboxOverview
from yudai.sandboxes.domain.backends import BackendName
from yudai.sandboxes.port import BaseView
from yudai.sandboxes.reap import Swept
from yudai.store.holders import Liveness
from yudai.wiring.sandbox_upkeep import open_named_backend


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


bases = APIRouter(tags=["installation"], dependencies=[ADMINISTERING])

BackendQuery = Annotated[
    BackendName | None, Query(description="Whose bases; default: the configured backend's.")
]


class BaseList(Value):
    bases: tuple[BaseView, ...]
    total_bytes: int


class BaseRemoved(Value):
    key: str


@bases.get("/bases", operation_id="listBases")
async def find_bases(service: ServiceDep, backend: BackendQuery = None) -> BaseList:
    """List bases of this server's home, or of its account at a provider."""
    async with open_named_backend(service.settings, backend, service.context.store) as opened:
        found = await opened.bases()
    return BaseList(
        bases=tuple(found),
        total_bytes=sum(base.size_bytes or 0 for base in found),
    )


@bases.delete("/bases/{key}", operation_id="removeBase", responses=CONFLICT)
async def remove_base(key: str, service: ServiceDep, backend: BackendQuery = None) -> BaseRemoved:
    """Remove a base; it is built again when it is needed."""
    async with open_named_backend(service.settings, backend, service.context.store) as opened:
        if not await opened.remove_base(key):
            raise NotFoundError(f"there is no base {key[:200]!a}")
    return BaseRemoved(key=key)
