"""Queries of the models table."""

from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy import Table, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.gateway.domain.models import Model, Price
from yudai.gateway.tables import ModelRow
from yudai.kit.errors import NotFoundError
from yudai.kit.hints import MODELS
from yudai.store.connections import insert_new, upsert

_MODELS = cast("Table", ModelRow.__table__)


async def everything(db: AsyncSession) -> list[ModelRow]:
    """A person's own entries first, so that their aliases win over the packaged ones."""
    query = select(ModelRow).order_by(ModelRow.edited.desc(), ModelRow.name)
    return list(await db.scalars(query))


async def find(db: AsyncSession, name: str) -> ModelRow:
    """By name, else by alias."""
    rows = await everything(db)
    matching = [row for row in rows if row.name == name] + [r for r in rows if name in r.aliases]
    if not matching:
        raise NotFoundError(f"there is no model {name}: ", MODELS, " lists those that are known")
    return matching[0]


async def put(db: AsyncSession, model: Model, *, edited: bool, at: float) -> None:
    """Add or replace one entry."""
    columns = _columns(model, edited=edited, at=at)
    await db.execute(upsert(_MODELS, db.get_bind().dialect), [columns])


async def remove(db: AsyncSession, name: str) -> bool:
    """Remove an entry; False if it was already gone."""
    gone = await db.scalars(delete(_MODELS).where(_MODELS.c.name == name).returning(_MODELS.c.name))
    return gone.one_or_none() is not None


async def seed(db: AsyncSession, models: Sequence[Model], *, at: float) -> None:
    """Add and update packaged entries, except those that a person edited."""
    # Always in one order: two processes that do this at once then wait instead of deadlocking.
    ordered = sorted(models, key=lambda model: model.name)
    rows = [_columns(model, edited=False, at=at) for model in ordered]
    await db.execute(insert_new(_MODELS, db.get_bind().dialect), rows)
    known = {row.name: row for row in await everything(db)}
    for model, columns in zip(ordered, rows, strict=True):
        if is_outdated(known, model):
            unedited = (_MODELS.c.name == model.name) & _MODELS.c.edited.is_(False)
            await db.execute(update(_MODELS).where(unedited).values(**columns))


def is_outdated(known: Mapping[str, ModelRow], model: Model) -> bool:
    """Whether seeding this model would change anything."""
    row = known.get(model.name)
    return row is None or (not row.edited and row.value != model)


def _columns(model: Model, *, edited: bool, at: float) -> dict[str, object]:
    price = dict.fromkeys(Price.model_fields) if model.price is None else dict(model.price)
    named = model.model_dump(exclude={"price"})
    return {**named, **price, "edited": edited, "updated_at": at}
