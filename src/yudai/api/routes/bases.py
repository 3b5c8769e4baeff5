"""Routes of prepared bases, from which sandboxes start."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from yudai.api.dependencies import ServiceDep
from yudai.api.openapi import CONFLICT
from yudai.api.security.rights import ADMINISTERING
from yudai.kit.errors import NotFoundError
from yudai.kit.value import Value
from yudai.sandboxes.domain.backends import BackendName
from yudai.sandboxes.port import BaseFacts
from yudai.wiring.sandbox_upkeep import open_named_backend

router = APIRouter(tags=["installation"], dependencies=[ADMINISTERING])

BackendQuery = Annotated[
    BackendName | None, Query(description="Whose bases; default: the configured backend's.")
]


class BaseView(Value):
    backend: str
    key: str
    size_bytes: int | None = Field(description="null: unknown to its provider.")
    made_at: float
    used_at: float = Field(description="When its last sandbox was created or ended.")
    users: int = Field(description="Sandboxes that use it; a base in use cannot be removed.")


class BaseList(Value):
    bases: tuple[BaseView, ...]
    total_bytes: int


class BaseRemoved(Value):
    key: str


@router.get("/bases", operation_id="listBases")
async def find(service: ServiceDep, backend: BackendQuery = None) -> BaseList:
    """List bases of this server's home, or of its account at a provider."""
    async with open_named_backend(service.settings, backend, service.context.store) as shelf:
        found = await shelf.bases()
    return BaseList(
        bases=tuple(map(_view, found)), total_bytes=sum(base.size_bytes or 0 for base in found)
    )


@router.delete("/bases/{key}", operation_id="removeBase", responses=CONFLICT)
async def remove(key: str, service: ServiceDep, backend: BackendQuery = None) -> BaseRemoved:
    """Remove a base; it is built again when it is needed."""
    async with open_named_backend(service.settings, backend, service.context.store) as shelf:
        if not await shelf.remove_base(key):
            raise NotFoundError(f"there is no base {key[:200]!a}")
    return BaseRemoved(key=key)


def _view(base: BaseFacts) -> BaseView:
    return BaseView(**base.model_dump())
