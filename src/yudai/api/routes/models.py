"""Routes of the models table."""

from typing import Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from yudai.api.dependencies import ServiceDep
from yudai.api.openapi import CONFLICT
from yudai.api.security.rights import MayAdminister, MayRead
from yudai.gateway.catalogue import Entry, ModelChange
from yudai.gateway.domain.models import Model, Provider
from yudai.kit.money import usd
from yudai.kit.value import Value
from yudai.solves.domain.request import AskedPrice, ModelName

router = APIRouter(tags=["models"])


class ModelPrice(Value):
    """Dollars per million tokens."""

    input_usd: float
    output_usd: float
    cached_usd: float | None = Field(description="null: as any other input.")


class ModelView(Value):
    name: str
    provider: Provider
    model_id: str = Field(description="What the provider calls it.")
    aliases: tuple[str, ...]
    price: ModelPrice | None = Field(description="null: unknown, so that it cannot be used.")
    edited: bool = Field(description="By a person: the packaged list leaves it alone.")


class ModelList(Value):
    models: tuple[ModelView, ...]


class ModelPut(Value):
    """What is not given stays as it is; a new model needs a price."""

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
        description="The packaged entry, as it is again; null when the entry was a person's own."
    )


@router.get("/models", operation_id="listModels")
async def find(service: ServiceDep, user: MayRead) -> ModelList:
    """Every model that a matrix can name, by name or alias."""
    del user
    return ModelList(models=tuple(map(_view, await service.catalogue.list())))


@router.put("/models/{name:path}", operation_id="putModel")
async def put(name: str, body: ModelPut, service: ServiceDep, user: MayAdminister) -> ModelView:
    """Change an entry or add one; solves that were opened before keep what they began with."""
    del user
    change = ModelChange(
        provider=None if body.provider is None else Provider(body.provider),
        model_id=body.model_id,
        aliases=body.aliases,
        price=None if body.price is None else body.price.price,
    )
    return _view(await service.catalogue.set_model(name, change))


@router.delete("/models/{name:path}", operation_id="removeModel", responses=CONFLICT)
async def remove(name: str, service: ServiceDep, user: MayAdminister) -> ModelRemoved:
    """Forget an entry of one's own; a packaged one goes back to what it was."""
    del user
    restored = await service.catalogue.remove(name)
    return ModelRemoved(model=None if restored is None else _view(restored))


def _view(entry: Entry) -> ModelView:
    model = entry.model
    return ModelView(
        name=model.name,
        provider=model.provider,
        model_id=model.model_id,
        aliases=model.aliases,
        price=_price(model),
        edited=entry.edited,
    )


def _price(model: Model) -> ModelPrice | None:
    if model.price is None:
        return None
    cached = model.price.cached_micros
    return ModelPrice(
        input_usd=usd(model.price.input_micros),
        output_usd=usd(model.price.output_micros),
        cached_usd=None if cached is None else usd(cached),
    )
