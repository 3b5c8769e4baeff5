"""Routes of the models table."""

from typing import Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from yudai.api.dependencies import ServiceDep
from yudai.api.openapi import CONFLICT
from yudai.api.security.rights import ADMINISTERING, READING
from yudai.gateway.catalogue import ModelChange
from yudai.kit.value import Value
from yudai.solves.domain.request import AskedPrice, ModelName
from yudai.views.models import ModelList, ModelView, model_view

router = APIRouter(tags=["models"])


class ModelPut(Value):
    """Missing fields stay unchanged; a new model needs a price."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"price": {"input_usd": 2, "output_usd": 8, "cached_usd": 0.5}},
                {
                    "provider": "local",
                    "model_id": "qwen3:8b",
                    "aliases": ["qwen"],
                    "price": {"input_usd": 0, "output_usd": 0},
                },
            ]
        }
    )

    price: AskedPrice | None = None
    aliases: tuple[ModelName, ...] | None = Field(default=None, max_length=20)
    provider: Literal["openrouter", "local"] | None = None
    model_id: ModelName | None = None


class ModelRemoved(Value):
    model: ModelView | None = Field(
        description="The restored packaged entry; null when the entry was added by a user."
    )


@router.get("/models", operation_id="listModels", dependencies=[READING])
async def find(service: ServiceDep) -> ModelList:
    """List models that a matrix can name, with aliases."""
    return ModelList(models=tuple(map(model_view, await service.submitter.catalogue.list())))


@router.put("/models/{name:path}", operation_id="putModel", dependencies=[ADMINISTERING])
async def put(name: str, body: ModelPut, service: ServiceDep) -> ModelView:
    """Add or change an entry. Solves that are already open keep their prices."""
    price = None if body.price is None else body.price.price
    change = ModelChange.model_validate(dict(body) | {"price": price})
    return model_view(await service.submitter.catalogue.set_model(name, change))


@router.delete(
    "/models/{name:path}",
    operation_id="removeModel",
    responses=CONFLICT,
    dependencies=[ADMINISTERING],
)
async def remove(name: str, service: ServiceDep) -> ModelRemoved:
    """Remove an added entry, or restore a packaged one."""
    restored = await service.submitter.catalogue.remove(name)
    return ModelRemoved(model=None if restored is None else model_view(restored))
